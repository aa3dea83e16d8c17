#if os(Linux)
  import Foundation
  import Testing

  @Suite("madang serve under systemd", .timeLimit(.minutes(5)))
  struct SystemdNoticeTests {
    @Test("systemd is notified when the server listens and when it stops", arguments: ["a path", "an abstract name"])
    func notices(_ kind: String) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "madang-notify-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let socket = try NoticeSocket(kind == "a path" ? folder.appending(path: "notify").path : "@\(folder.path)")

      let environment = TestServer.cheapPasswords.merging(["NOTIFY_SOCKET": socket.name]) { $1 }
      let data = folder.appending(path: "data").path
      let program = try Program("madang", ["serve", "--port", "0", "--data", data], environment: environment)
      _ = try await program.output.next(beginning: "madang listening on ")
      #expect(socket.next() == "READY=1")
      #expect(socket.next() == nil)

      let other = try Program("madang", ["serve", "--port", "0", "--data", data], environment: environment)
      #expect(await other.status() != 0)
      #expect(socket.next() == nil, "a server that does not start is not ready")

      program.signal(SIGTERM)
      #expect(await program.status() == 0)
      #expect(socket.next() == "STOPPING=1")
      #expect(socket.next() == nil)
    }

    @Test("a server that cannot notify systemd serves anyway and logs it")
    func nobodyThere() async throws {
      try await TestServer.run(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"]) { server in
        let line = try await server.program.errors.next(beginning: "READY=1 does not reach")
        #expect(line.contains("NOTIFY_SOCKET=/nonexistent/notify: No such file or directory"))
      }
    }
  }

  /// The socket on which systemd would listen.
  private final class NoticeSocket {
    let name: String
    private let descriptor: Int32

    init(_ name: String) throws {
      self.name = name
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let path = Array((name.hasPrefix("@") ? "\0" + name.dropFirst() : name).utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
      let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.count
      let outcome = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
      }
      try #require(outcome == 0, "\(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// The next notice that has arrived, if any.
    func next() -> String? {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
#endif
