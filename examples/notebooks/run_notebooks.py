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


def execute(path, kernel):
    import nbformat
    from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor

    notebook = nbformat.read(path, as_version=4)
    problems = problems_of(notebook)
    # One kernel for all, for its start takes longer than some notebooks; names of the one before are forgotten.
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    try:
        ExecutePreprocessor(timeout=LIMIT).preprocess(notebook, km=kernel)
    except CellExecutionError as error:
        return problems + [re.sub(r"\x1b\[[0-9;]*m", "", str(error))]
    for number, cell in enumerate(notebook.cells[1:]):
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
        print(f"not installed: {', '.join(lacking)}; scripts/setup slow installs them. Skipped.")
        return 77
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    os.environ.pop("MPLBACKEND", None)
    from jupyter_client.manager import start_new_kernel
    # The kernel of this interpreter, whatever kernels the user has.
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUPYTER_DATA_DIR"] = os.environ["IPYTHONDIR"] = folder
        for path in sorted(HERE.glob("*.csv")):
            shutil.copy(path, folder)
        kernel, client = start_new_kernel(kernel_name="python3", cwd=folder)
        client.stop_channels()  # each notebook has a client of its own
        try:
            for path in sorted(HERE.glob("*.ipynb")):
                if sys.argv[1:] and path.stem not in sys.argv[1:]:
                    continue
                start = time.monotonic()
                problems = execute(path, kernel)
                print(f"{path.name}: {'failed' if problems else 'passed'}, {time.monotonic() - start:.1f} s")
                print(*problems, sep="\n", end="\n" if problems else "")
                failed = failed or bool(problems)
        finally:
            kernel.shutdown_kernel(now=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
