"""An authority of our own, and a certificate of its for one name."""

import pathlib
import subprocess


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificates(folder, name="localhost"):
    """Writes `ca.pem`, `leaf.pem` and `leaf.key`."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-days", "30", "-subj", "/CN=authority", "-keyout", f"{folder}/ca.key", "-out", f"{folder}/ca.pem")
    openssl("req", *curve, "-subj", f"/CN={name}", "-keyout", f"{folder}/leaf.key", "-out", f"{folder}/leaf.csr")
    pathlib.Path(f"{folder}/names").write_text(f"subjectAltName=DNS:{name}\n")
    openssl("x509", "-req", "-in", f"{folder}/leaf.csr", "-CA", f"{folder}/ca.pem", "-CAkey", f"{folder}/ca.key", "-CAcreateserial",
            "-days", "30", "-extfile", f"{folder}/names", "-out", f"{folder}/leaf.pem")
