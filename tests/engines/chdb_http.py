"""ClickHouse's engine of today (chDB) behind as much of ClickHouse's HTTP interface as assay
uses: a statement in the query or the body, settings as parameters, user and key in headers.

python chdb_http.py FOLDER USER PASSWORD prints its port and answers until it is ended.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

FOLDER, USER, PASSWORD = sys.argv[1:4]
ENGINE = session.Session(FOLDER)
ALONE = threading.Lock()  # a statement and the database that it is about go together


def literal(text):
    return text if text.lstrip("-").isdigit() else "'" + text.replace("'", "\\'") + "'"


def carry_out(parameters, body):
    statement = parameters.pop("query", "") + "\n" + body if "query" in parameters else body
    layout = parameters.pop("default_format", "TabSeparated")
    parameters.pop("wait_end_of_query", None)
    database = parameters.pop("database", None)
    if database:
        ENGINE.query("USE " + database)
    if "readonly" in parameters:
        # A setting of the session could not be taken back; a statement that is no SELECT has no
        # such clause and is refused.
        clause = ", ".join(f"{name} = {literal(value)}" for name, value in parameters.items())
        return ENGINE.query(f"{statement.rstrip().rstrip(';')}\nSETTINGS {clause}", layout)
    for name, value in parameters.items():
        ENGINE.query(f"SET {name} = {literal(value)}")
    return ENGINE.query(statement, layout)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.headers.get("X-ClickHouse-User") != USER or self.headers.get("X-ClickHouse-Key") != PASSWORD:
            return self.answer(403, b"Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
        try:
            with ALONE:
                data = carry_out(dict(parse_qsl(urlsplit(self.path).query)), body).bytes()
        except Exception as fault:
            return self.answer(500, str(fault).encode())
        self.answer(200, data or b"")

    def answer(self, status, data):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
