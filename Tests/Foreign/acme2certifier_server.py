"""An ACME server of another make for tests: acme2certifier with an authority of OpenSSL.

    python acme2certifier_server.py FOLDER PORT HTTP_PORT TLS_PORT DNS_PORT

It listens on 127.0.0.1:PORT without TLS. It asks the DNS server at DNS_PORT, and calls HTTP_PORT and TLS_PORT where it would call 80 and 443,
as if a router led these there. The folder gets ca.pem, its root certificate.
"""

import os
import pathlib
import socket
import subprocess
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

folder = pathlib.Path(sys.argv[1])
port, http_port, tls_port, dns_port = map(int, sys.argv[2:])

subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
     "-subj", "/O=acme2certifier/CN=root", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
     "-keyout", folder / "ca.key", "-out", folder / "ca.pem"], check=True, capture_output=True)
(folder / "certificates").mkdir()
(folder / "acme_srv.cfg").write_text(f"""
[DEFAULT]
debug: False
dns_server_list: ["127.0.0.1"]
[Nonce]
nonce_check_disable: False
[CAhandler]
handler_module: acme2certifier.cahandlers.openssl_ca_handler
issuing_ca_key: {folder}/ca.key
issuing_ca_cert: {folder}/ca.pem
issuing_ca_crl: {folder}/ca.crl
cert_save_path: {folder}/certificates
cert_validity_days: 30
[DBhandler]
handler: wsgi
dbfile: {folder}/acme.db
[Directory]
tos_url: http://127.0.0.1:{port}/terms
""")
os.environ["ACME_SRV_CONFIGFILE"] = str(folder / "acme_srv.cfg")
os.environ["ACME2CERTIFIER_BASE_DIR"] = str(folder)

import dns.resolver  # noqa: E402


class LocalResolver(dns.resolver.Resolver):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.port = dns_port


dns.resolver.Resolver = LocalResolver

connect = socket.socket.connect


def forwarded(self, address):
    if isinstance(address, tuple):
        address = (address[0], {80: http_port, 443: tls_port}.get(address[1], address[1]), *address[2:])
    return connect(self, address)


socket.socket.connect = forwarded

from acme2certifier.share.acme2certifier_wsgi import application  # noqa: E402


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


make_server("127.0.0.1", port, application, server_class=Server, handler_class=Handler).serve_forever()
