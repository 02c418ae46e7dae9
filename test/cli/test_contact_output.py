# SPDX-License-Identifier: BSD-3-Clause
"""twirl contact: writing, and streaming long paths."""

import math
import os
import subprocess
import tempfile
import threading
import unittest

from cli import COLUMNS, GOOD, HEADER, LAW, OUTPUT_HEADER, SCALE, TURNS, TWIRL, ContactTest, run, table


class Writing(ContactTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out.csv")

    def read(self):
        with open(self.out, encoding="utf-8") as file:
            return file.read()

    def test_out_file_equals_stdout(self):
        text = HEADER + 3 * GOOD
        done = run("contact", *LAW, "--out", self.out, text=text)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.read(), run("contact", *LAW, text=text).stdout)
        self.assertEqual(os.listdir(self.folder), ["out.csv"])

    def test_out_may_be_the_input(self):
        with open(self.out, "w", encoding="utf-8") as file:
            file.write(HEADER + 3 * GOOD)
        self.assertEqual(run("contact", *LAW, self.out, "--out", self.out).returncode, 0)
        self.assertEqual(len(self.rows_of(self.read())), 3)

    def test_bad_input_leaves_no_file_and_keeps_an_old_one(self):
        text = HEADER + GOOD + "1,2\n"
        self.assert_refused(run("contact", *LAW, "--out", self.out, text=text), "stdin:3:")
        self.assertEqual(os.listdir(self.folder), [])
        with open(self.out, "w", encoding="utf-8") as file:
            file.write("precious\n")
        self.assert_refused(run("contact", *LAW, "--out", self.out, text=text), "stdin:3:")
        self.assertEqual(self.read(), "precious\n")
        self.assertEqual(os.listdir(self.folder), ["out.csv"])

    def test_unwritable_output(self):
        for path, why in ((os.path.join(self.folder, "no", "out.csv"), "No such file"),
                          (self.folder, "Is a directory"), ("/dev/full", "No space left")):
            done = run("contact", *LAW, "--out", path, text=HEADER + GOOD)
            self.assert_refused(done, f"twirl contact: cannot write {path}: {why}", status=1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk_behind_stdout(self):
        for count in (1, 5000):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TWIRL, "contact", *LAW], input=(HEADER + count * GOOD).encode(),
                                      stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, b"twirl contact: cannot write stdout: "
                                          b"No space left on device\n")

    def test_closed_pipe(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        try:
            done = subprocess.run([TWIRL, "contact", *LAW], input=(HEADER + GOOD).encode(),
                                  stdout=write_end, stderr=subprocess.PIPE, check=False, timeout=60)
        finally:
            os.close(write_end)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Broken pipe", done.stderr)


class Streaming(ContactTest):
    def peak_memory(self, process):
        """[kB] of the program itself: getrusage would include this interpreter, from which it is
        forked."""
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))

    def stream(self, count):
        """Feeds `count` rows; returns number of lines, last line, peak memory [kB]."""
        block = []
        for i in range(1000):
            angle = 2e-3 * math.pi * i
            block.append({"zeta": 1.0 + 0.9 * math.sin(3 * angle), "dux": 0.1 * math.cos(angle),
                          "duy": 0.1 * math.sin(angle), "tpz": 1e-3, "tqx": 1e-3})
        header, rows = table(block, COLUMNS + TURNS).split("\n", 1)
        with subprocess.Popen([TWIRL, "contact", *LAW], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            seen = {"lines": 0, "tail": b""}

            def drain():
                while piece := process.stdout.read(1 << 16):
                    seen["lines"] += piece.count(b"\n")
                    seen["tail"] = (seen["tail"] + piece)[-1000:]

            reader = threading.Thread(target=drain)
            reader.start()
            process.stdin.write(header.encode() + b"\n")
            for _ in range(count // 1000):
                process.stdin.write(rows.encode())
            process.stdin.flush()
            peak = self.peak_memory(process)
            process.stdin.close()
            reader.join()
        self.assertEqual(process.returncode, 0)
        return seen["lines"], seen["tail"].decode().split("\n")[-2], peak

    def test_many_rows_in_constant_memory(self):
        count = max(10000, round(min(SCALE, 1.0) * 200) * 1000)
        lines, last, peak = self.stream(count)
        self.assertEqual(lines, count + 1)
        self.assertEqual(len(last.split(",")), len(OUTPUT_HEADER.split(",")))
        self.assertEqual(int(last.split(",")[0]), count - 1)
        if SCALE >= 1.0:
            # Memory does not grow with the input: half a megabyte is less than a number per row.
            self.assertLess(peak - self.stream(10000)[2], 512)


if __name__ == "__main__":
    unittest.main()
