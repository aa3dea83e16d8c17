import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import SocketIOProtocol
import SocketIOServer

/// The bridge between rooms and sockets: who may join a room's namespace, and each chat on its way out.
struct RoomSockets: Sendable {
  private let service: Service

  init(_ service: Service) { self.service = service }

  /// Declares the namespaces: `/` accepts everybody and never emits; a room's admits its readers.
  /// No event of a client has a handler: all are ignored, none is relayed.
  func register() {
    service.socketIO.namespace(where: { $0 == "/" }, configure: NamespaceHandlers())
    service.socketIO.namespace(
      where: { RoomNamespace(name: $0) != nil },
      configure: NamespaceHandlers(
        admit: { await admit($0) },
        connected: { socket in
          if let user = socket.data.number { service.recent.connected(user, at: address(of: socket.handshake)) }
        },
        disconnected: { socket, _ in
          if let user = socket.data.number { service.recent.disconnected(user, at: address(of: socket.handshake)) }
        }))
  }

  /// Sends a committed chat to everybody in its namespaces, encoded once per edition that is listening.
  func deliver(_ chat: Chat) {
    for edition in Edition.all {
      let targets = edition.targets(chat).filter { service.socketIO.hasSockets(in: $0.namespace.name) }
      guard !targets.isEmpty else { continue }
      do {
        let json = try edition.encode(chat)
        for target in targets { service.socketIO.emit(target.event.rawValue, json: json, to: target.namespace.name) }
      } catch {
        service.logger.error("a chat could not be encoded", metadata: ["error": "\(String(reflecting: error))"])
      }
    }
  }

  private struct NotAllowed: Error {
    let message: String
    static let room = NotAllowed(message: "not allowed")
  }

  /// Decides on a connect. Clients connect in parallel with, or before, the call that justifies it, so an admission
  /// that fails for want of membership is tried again for a while before it is refused; bad credentials are refused
  /// at once (contract section 13.3).
  private func admit(_ request: ConnectRequest) async -> Admission {
    do {
      guard let namespace = RoomNamespace(name: request.namespace), let edition = Edition.of(id: namespace.id) else {
        throw NotAllowed.room
      }
      let credentials = Credentials(request)
      let caller = try await check(credentials, for: edition, from: address(of: request.handshake))
      let deadline = ContinuousClock.now + service.settings.socketHold
      while true {
        if let user = try await reader(namespace, edition, caller, from: address(of: request.handshake)) {
          return .accept(SocketData(number: user == Self.nobody ? nil : user))
        }
        guard ContinuousClock.now < deadline else { throw NotAllowed.room }
        try await Task.sleep(for: service.settings.socketHoldInterval)
      }
    } catch let error as NotAllowed {
      return .refuse(message: error.message)
    } catch is CancellationError {
      return .refuse(message: NotAllowed.room.message)
    } catch {
      service.logger.error("a socket could not be admitted", metadata: ["error": "\(String(reflecting: error))"])
      return .refuse(message: ErrorCode.serverFailure.rawValue)
    }
  }

  /// Stands for an account where `open` access asks for none.
  private static let nobody: Int64 = 0

  /// The account through which the socket may join now, or nil.
  private func reader(_ namespace: RoomNamespace, _ edition: Edition, _ caller: Caller?, from address: String)
    async throws -> Int64?
  {
    let reference = edition.reference(namespace.id)
    // Some clients use the `dm` prefix for channels too.
    for kind: Room.Kind in namespace.prefix == .channel ? [.channel] : [.dm, .channel] {
      do {
        if let caller {
          _ = try await service.madang.room(kind, reference, readableBy: caller.id)
          return caller.id
        }
        let room = try await service.madang.room(kind, reference)
        if service.settings.socketAccess == .open { return Self.nobody }
        let window = service.settings.socketRecentWindow
        return try await service.madang.reader(of: room, seenAt: address, within: window)
      } catch let failure as Failure where failure.code == .notFound {
        continue
      }
    }
    return nil
  }

  /// The account a token stands for; nil where none is needed and none was shown.
  private func check(_ credentials: Credentials, for edition: Edition, from address: String) async throws -> Caller? {
    let access = service.settings.socketAccess
    guard access != .open else { return nil }
    let key = credentials.key.flatMap { service.edition(ofKey: $0) }
    guard key?.name == edition.name || (access == .recent && credentials.key == nil) else {
      throw NotAllowed(message: ErrorCode.badKey.rawValue)
    }
    guard let token = credentials.token else {
      if access == .recent { return nil }
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
    do {
      return try await service.caller(token, service.tokens.claims(of: token), address, edition, mayBeExpired: false)
    } catch let refusal as Refusal {
      throw NotAllowed(message: (refusal.code == .tokenExpired ? ErrorCode.tokenExpired : .badToken).rawValue)
    } catch is Failure {
      throw NotAllowed(message: ErrorCode.badToken.rawValue)
    }
  }

  private func address(of handshake: Handshake) -> String {
    service.address(headers: handshake.headers, peer: handshake.remoteAddress)
  }
}

/// The key and token of a connect: from the handshake's headers, its query, or the connect payload.
private struct Credentials {
  let key: String?
  let token: String?

  private struct Payload: Decodable {
    let key: String?
    let token: String?
    let authorization: String?

    enum CodingKeys: String, CodingKey {
      case key = "SesacKey"
      case token
      case authorization = "Authorization"
    }
  }

  init(_ request: ConnectRequest) {
    let payload = request.auth.isEmpty ? nil : try? JSONDecoder().decode(Payload.self, from: Data(request.auth))
    let handshake = request.handshake
    let keys = [handshake.headers[.apiKey], handshake.query[HeaderName.apiKey], payload?.key]
    key = keys.lazy.compactMap { $0?.trimmingWhitespace() }.first { !$0.isEmpty }
    let tokens = [
      handshake.headers[.authorization], handshake.query[HeaderName.authorization], payload?.token,
      payload?.authorization,
    ]
    token = tokens.lazy.compactMap { $0.flatMap(rawToken) }.first
  }
}

extension Edition {
  /// A namespace's edition follows from the form of its id (contract section 2.1).
  static func of(id: String) -> Edition? {
    let isUUID =
      id.utf8.count == 36 && id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(.init($0)).isHexDigit }
    return isUUID ? .october2024 : nil
  }
}
