# SPDX-License-Identifier: BSD-3-Clause
"""twirl watch: follows a run without disturbing it, and answers nobody but the one who has its address."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from cli import TWIRL, CliTest, run

SCENARIO = """
specimen:
  count: 60
  preparation: {pressure: 100 kPa, friction: 0.1, inertial_number: 0.05, unbalanced: 0.01}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: shear, path: triaxial, inertial_number: 1e-3, end: {strain: 1 %}}
output: {history: {steps: 20}, checkpoint: {steps: 500}}
"""

SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Watch:
    """A server that is running."""

    def __init__(self, place, folder, *options):
        self.process = subprocess.Popen([TWIRL, "watch", folder, *options], cwd=place, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
        if not match:
            raise AssertionError(line + self.process.communicate()[1].decode())
        self.port, self.token = int(match[1]), match[2]

    def ask(self, path, method="GET", host=None, address="127.0.0.1"):
        """(status, headers, body); path below the token, or from the root with a slash before it."""
        connection = http.client.HTTPConnection(address, self.port, timeout=20)
        connection.putrequest(method, path if path.startswith("/") else f"/{self.token}/{path}", skip_host=True)
        if host != "":
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body

    def data(self, **query):
        rest = "&".join(f"{name}={value}" for name, value in query.items())
        status, _, body = self.ask("data" + ("?" + rest if rest else ""))
        assert status == 200, body
        return json.loads(body)

    def stop(self, number=signal.SIGINT):
        """(exit status, text of standard error)"""
        self.process.send_signal(number)
        text = self.process.communicate(timeout=20)[1].decode()
        return self.process.returncode, text


def setUpModule():
    scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
    unittest.addModuleCleanup(scratch.cleanup)
    WatchTest.place = Path(scratch.name)
    (WatchTest.place / "run.yaml").write_text(SCENARIO)
    with subprocess.Popen([TWIRL, "watch", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if process.stdout.readline():  # its address: it serves
            process.terminate()
            return
        text = process.stderr.read().decode()
    assert process.returncode == 1 and "built without" in text and "scripts/setup" in text, text
    raise unittest.SkipTest("this program cannot watch")


class WatchTest(CliTest):
    def watch(self, *arguments):
        server = Watch(self.place, *arguments)
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server


class Address(WatchTest):
    """One server for all tests, of a folder that never appears."""

    def setUp(self):
        self.server = self.watch("nowhere")

    def test_page(self):
        status, headers, body = self.server.ask("")
        self.assertEqual((status, headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b'<script type="application/json" id="twirl-live">{"interval": 2}</script>', body)
        self.assertIn(b"<title>nowhere - twirl watch</title>", body)
        self.assertEqual(self.server.ask("", host=f"localhost:{self.server.port}")[0], 200)
        self.check_headers(headers)
        status, headers, body = self.server.ask("data")
        self.assertEqual((status, headers["content-type"]), (200, "application/json"))
        self.assertEqual(json.loads(body)["runs"], [])
        self.check_headers(headers)
        self.check_headers(self.server.ask("/")[1])

    def check_headers(self, headers):
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["cache-control"], "no-store")
        self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
        self.assertEqual([name for name in headers if name.startswith("access-control")], [])

    def test_other_addresses_are_not_found(self):
        token = self.server.token
        other = token[:-1] + ("0" if token[-1] != "0" else "1")
        for path in ("/", "/data", f"/{token}", f"/{token[:-1]}/", f"/{other}/", f"/{other}/data", f"/{token}0/", f"/{token.upper()}x/",
                     f"//{token}/", f"/x/{token}/", "/" + "0" * 32 + "/", "/favicon.ico"):
            self.assertEqual(self.server.ask(path)[0], 404, path)

    def test_no_path_is_opened(self):
        (self.place / "secret.txt").write_text("secret")
        for path in ("../secret.txt", "../../../../../../etc/passwd", "%2e%2e/secret.txt", "..%2fsecret.txt", "history.csv", "scenario.yaml",
                     "data/", "data/../secret.txt", "snapshot", "snapshot/", "snapshot/-1", "snapshot/0x0", "snapshot/1e3", "snapshot/0/",
                     "snapshot/99999999999999999999", "snapshot/..%2f..%2fsecret.txt", "snapshot/0%00", "snapshot/0", "snapshot/latest"):
            status, _, body = self.server.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"secret\n", body)
        for query in ("from=-1", "from=x", "from=1e3", "from=99999999999999999999", "from=../../etc/passwd"):
            self.assertEqual(self.server.ask("data?" + query)[0], 400, query)
        self.assertIn(self.server.ask("x" * 100000)[0], (404, 413, 414, 431))

    def test_unfinished_requests_do_not_keep_others_away(self):
        # More connections than the server holds, none of which ever ends its headers.
        for _ in range(80):
            open_ = socket.create_connection(("127.0.0.1", self.server.port), timeout=20)
            self.addCleanup(open_.close)
            open_.sendall(b"GET / HTTP/1.1\r\nX-Slow: 1\r\n")
        for _ in range(3):
            self.assertEqual(self.server.ask("")[0], 200)

    def test_only_get(self):
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"):
            for path in ("", "data"):
                status, headers, _ = self.server.ask(path, method=method)
                self.assertEqual((status, headers["allow"]), (405, "GET"), method)

    def test_other_hosts_are_refused(self):
        for host in ("", "evil.example", f"evil.example:{self.server.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1:{self.server.port}.evil.example",
                     f"0.0.0.0:{self.server.port}", f"[::1]:{self.server.port}"):
            self.assertIn(self.server.ask("", host=host)[0], (400, 403), host)

    def test_listens_on_the_loopback_address_alone(self):
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", self.server.port), timeout=5)
        listening = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in Path(table).read_text().splitlines()[1:] if os.path.exists(table) else []:
                fields = line.split()
                address, port = fields[1].rsplit(":", 1)
                if int(port, 16) == self.server.port and fields[3] == "0A":
                    listening.append(int(address, 16))
        self.assertEqual(listening, [int.from_bytes(bytes([127, 0, 0, 1]), sys.byteorder)])

    def test_ends_on_request(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.watch("nowhere")
            self.assertNotEqual(server.token, self.server.token)
            status, text = server.stop(number)
            self.assertEqual(status, 0)
            self.assertIn("open this address", text)
            self.assertIn("no run in this folder yet: waiting", text)
            with self.assertRaises(ConnectionRefusedError):
                server.ask("")

    def test_port(self):
        port = self.server.port
        self.assert_refused(run("watch", "--port", str(port), "nowhere"), f"port {port} of 127.0.0.1", status=1)
        self.assertEqual(self.server.stop()[0], 0)
        self.assertEqual(self.watch("nowhere", "--port", str(port)).port, port)
        self.assert_refused(run("watch", "--port", "65536", "nowhere"), "--port")
        self.assert_refused(run("watch"), "RUN is missing")


class Live(WatchTest):
    def start(self):
        process = subprocess.Popen([TWIRL, "run", "run.yaml", "--quiet", "--resume"], cwd=self.place, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def halt(self, process, rows):
        """Halts a run that has written so many rows: it still runs for those who watch, but cannot end."""
        history = self.place / "run/history.csv"
        while not history.exists() or history.read_bytes().count(b"\n") <= rows:
            self.assertIsNone(process.poll(), "ended before it could be halted")
        process.send_signal(signal.SIGSTOP)

    def poll(self, server, known, until):
        """Joins answers to the history `known` until one satisfies `until`; the history and that answer."""
        deadline = time.monotonic() + 100
        ident, rows = "", known.count("\n") - 1
        while time.monotonic() < deadline:
            runs = server.data(**({"from": rows, "id": ident} if ident else {}))["runs"]
            if runs:
                answer = runs[0]
                if answer["from"] == 0:
                    known = ""
                else:
                    self.assertLessEqual(answer["from"], rows)
                    known = "".join(line + "\n" for line in known.split("\n")[:answer["from"] + 1])
                known += answer["history"]
                ident, rows = answer["id"], answer["rows"]
                self.assertEqual(known.count("\n"), rows + 1)
                if until(answer):
                    return known, answer
            time.sleep(0.05)
        self.fail("the run did not get there")

    def test_follows_a_run_to_its_end(self):
        server = self.watch("run")
        self.assertEqual(server.data()["runs"], [])
        process = self.start()
        self.halt(process, 20)
        known, answer = self.poll(server, "", lambda one: one["state"] == "running" and one["rows"] >= 20)
        self.assertIsNone(answer["summary"])
        process.send_signal(signal.SIGCONT)
        self.halt(process, 40)
        _, answer = self.poll(server, known, lambda one: one["rows"] >= 40 and one["snapshots"])
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), 130)
        known, answer = self.poll(server, known, lambda one: one["state"] == "interrupted")
        self.assertEqual(known.encode(), (self.place / "run/history.csv").read_bytes())
        last = answer["snapshots"][-1]
        self.assertTrue(last["latest"])
        status, _, body = server.ask(f"snapshot/{last['number']}")
        snapshot = json.loads(body)
        self.assertEqual((status, snapshot["bodies"]["count"], snapshot["step"]), (200, 60, last["step"]))
        self.assertEqual(server.ask(f"snapshot/{last['number'] + 1}")[0], 404)

        self.start()
        known, answer = self.poll(server, known, lambda one: one["state"] == "finished")
        self.assertEqual(known.encode(), (self.place / "run/history.csv").read_bytes())
        self.assertEqual(answer["summary"], json.loads((self.place / "run/summary.json").read_text()))
        self.assertEqual([s["stage"] for s in answer["snapshots"]], ["specimen", "shear"])
        whole = server.data(**{"from": 5, "id": "another"})["runs"][0]
        self.assertEqual((whole["from"], whole["history"]), (0, known))
        part = server.data(**{"from": answer["rows"], "id": answer["id"]})["runs"][0]
        self.assertEqual((part["from"], part["history"]), (answer["rows"], ""))
        for line in server.process.stderr:  # it looks at the run five times a second
            if line.endswith(b"the run has finished\n"):
                break
        self.assertEqual(server.stop(), (0, ""))
        # Nothing has changed for the run: it accepts all its files.
        done = run("run", "run.yaml", "--quiet", "--resume", cwd=self.place)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
