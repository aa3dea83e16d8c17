/// Certificates for tests, valid until 2120: `server` is for 127.0.0.1, `client` for clients; `ca` has signed both. They protect nothing.
/// secret.
package enum Certificates {
  package static let ca = pem(
    """
    -----BEGIN CERTIFICATE-----
    MIIBYDCCAQagAwIBAgIUfyDly4mSeCH55pLgjwgtNpJoP1YwCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
    MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEza/ftkQa
    /551AN29BsOpgVedAabHe8ddxe8fxOA7AO2KZtnghD+L3evu3HdLNFlCd8Osps4d
    g6O0EPYVqBlbLKNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQw
    HQYDVR0OBBYEFL1UyvrYvyWRVB6inkTRX5SazyV9MAoGCCqGSM49BAMCA0gAMEUC
    IFCJ6FFhyLyVzBM7kstHSVrMZKoRQC86VNUmqW5evikwAiEAmmeWBG3NRVWhE2uH
    agXH67e1byXBiaSaS4NX4ADTxXk=
    -----END CERTIFICATE-----
    """)

  /// An authority that has signed none of the others.
  package static let otherCA = pem(
    """
    -----BEGIN CERTIFICATE-----
    MIIBZzCCAQygAwIBAgIUakwaUdYOTFX7NZIlTsFAJKaCF5MwCgYIKoZIzj0EAwIw
    EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAw
    MDBaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    UARR1H+KHyTpdUQLorzkp0xFGnz02AdsHbVptNf3WG+UuUlRIb/anHD9HKgFJerA
    pSi+P4jLFt0YKspbbCJpL6NCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
    BAMCAgQwHQYDVR0OBBYEFL6VRr8ADkxH/3fLIXA2sQBYxZ9qMAoGCCqGSM49BAMC
    A0kAMEYCIQDvPs4KKlTNXJeQ+PjODKCWSHg9qxyAyUO7s0SWoA4w6AIhAK19KtnG
    wQPQgXWunSpqiNE06mj//TIrAM+0fI8FPBCp
    -----END CERTIFICATE-----
    """)

  package static let server = pem(
    """
    -----BEGIN CERTIFICATE-----
    MIIBizCCATGgAwIBAgIUT8sry3mG8qCJk218GWOhx9GaDJgwCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
    MBExDzANBgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN1x
    UPNCVIUpkxGWpM/9YpYlYOJ1WJGMmFnDPNFSLjz3lfRSwRwKXI6zj3DdF7caB+bn
    DMso72DPPwpTO8osz4ijaTBnMAkGA1UdEwQCMAAwGgYDVR0RBBMwEYcEfwAAAYIJ
    bG9jYWxob3N0MB0GA1UdDgQWBBT0MWqphJ0dBsxQc1cQv6iOvZVW2TAfBgNVHSME
    GDAWgBS9VMr62L8lkVQeop5E0V+Ums8lfTAKBggqhkjOPQQDAgNIADBFAiEAxz4L
    TfIBaE6WXSBD71rFgqVYXL0x4bdSbSY5CeNN4WICIHJ6QmEp2RzQrbPXhxo6pBDM
    xKiEFOheKKhIYHTQV5iw
    -----END CERTIFICATE-----
    """)

  package static let serverKey = pem(
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7kRcRbLIhcqZTVWP
    IXdjI2ZhEZQDaIKvYm9HyPW64zWhRANCAATdcVDzQlSFKZMRlqTP/WKWJWDidViR
    jJhZwzzRUi4895X0UsEcClyOs49w3Re3Ggfm5wzLKO9gzz8KUzvKLM+I
    -----END PRIVATE KEY-----
    """)

  package static let client = pem(
    """
    -----BEGIN CERTIFICATE-----
    MIIBizCCATGgAwIBAgIUDspCnxo+l5gQF3epeqWeEFlyO1cwCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
    MBExDzANBgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMwt
    z38JJCSeyPYzcZwFlh3sQehcE7M73eZuJMPPOfpLIr13ssbKod7RkOz1P/L979kB
    Z10M2F7dFX98E7Z8Xv2jaTBnMAkGA1UdEwQCMAAwGgYDVR0RBBMwEYcEfwAAAYIJ
    bG9jYWxob3N0MB0GA1UdDgQWBBRTOS2vEJiFyOS2soUmo3DIC5i4MDAfBgNVHSME
    GDAWgBS9VMr62L8lkVQeop5E0V+Ums8lfTAKBggqhkjOPQQDAgNIADBFAiEAidZr
    27Qy1YPkbu7OyKd4SNEM8nURI6aRddb5U/w+3gwCICHI/CRykIEJCAu9Z6YZH+mb
    EpXu9sc36m8qua6/l/ox
    -----END CERTIFICATE-----
    """)

  package static let clientKey = pem(
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtWD5w5lWWhUrWssH
    kzBsXLer4pXJmnpJ2fZDeEZSXsOhRANCAATMLc9/CSQknsj2M3GcBZYd7EHoXBOz
    O93mbiTDzzn6SyK9d7LGyqHe0ZDs9T/y/e/ZAWddDNhe3RV/fBO2fF79
    -----END PRIVATE KEY-----
    """)

  /// The pin of the server's key, computed with `openssl`.
  package static let serverPin = "sha256/OZm+Yf6SEVcfnri0W8Z469ZeIeEROjE/ZEQXDbjvdiA="

  private static func pem(_ text: String) -> [UInt8] { Array(text.utf8) }
}
