# SPDX-License-Identifier: BSD-3-Clause
"""Executes the notebooks in a temporary folder, as a test: their checks hold, and every figure appears.

    python3 run_notebooks.py [NAME...]

Exit status: 0 all passed; 1 one failed, with the cell and the reason; 77 something is not installed.
"""

import importlib.util
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 600  # seconds for a cell, on a busy machine


def missing():
    names = ("nbformat", "nbconvert", "ipykernel", "scipy", "matplotlib", "h5py", "pandas")
    return [name for name in names if not importlib.util.find_spec(name)]


def problems_of(notebook):
    """What is wrong with a notebook as it is committed."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if any(cell.outputs or cell.execution_count is not None for cell in cells):
        return ["it has outputs: clear them before committing"]
    return []


def draws(cell):
    return any(word in cell.source for word in ("twirl.plot.", "pyplot.subplots("))


def execute(path, folder):
    import nbformat
    from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor

    notebook = nbformat.read(path, as_version=4)
    problems = problems_of(notebook)
    try:
        ExecutePreprocessor(timeout=LIMIT, kernel_name="python3").preprocess(
            notebook, {"metadata": {"path": str(folder)}})
    except CellExecutionError as error:
        return problems + [re.sub(r"\x1b\[[0-9;]*m", "", str(error))]
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        shown = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        if draws(cell) and not shown:
            problems.append(f"cell {number} shows no figure:\n{cell.source}")
        problems += [f"cell {number} writes to stderr: {output.text}" for output in cell.outputs
                     if output.get("name") == "stderr"]
    return problems


def main():
    lacking = missing()
    if lacking:
        print(f"not installed: {', '.join(lacking)}; scripts/setup test installs them. Skipped.")
        return 77
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    os.environ.pop("MPLBACKEND", None)
    # The kernel of this interpreter, whatever kernels the user has.
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_DATA_DIR"] = os.environ["IPYTHONDIR"] = folder
        for path in sorted(HERE.glob("*.csv")):
            shutil.copy(path, folder)
        for path in sorted(HERE.glob("*.ipynb")):
            if sys.argv[1:] and path.stem not in sys.argv[1:]:
                continue
            start = time.monotonic()
            problems = execute(path, folder)
            print(f"{path.name}: {'failed' if problems else 'passed'}, {time.monotonic() - start:.1f} s")
            print(*problems, sep="\n", end="\n" if problems else "")
            failed = failed or bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
