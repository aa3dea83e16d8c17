import MadangServer

/// The effect of a fault. Its kind decides which fields apply (see the table in docs/reference/dev.md).
package struct FaultEffect: Codable, Equatable, Sendable {
  package enum Kind: String, CallChoice, Encodable, Sendable {
    // Of an HTTP request.
    case status, expiredToken, limited, latency, answerLost, cut, malformedJSON, contentType, drip, reset, restart
    case slowUpload, cutUpload
    // Of a WebSocket that is opened.
    case refuseUpgrade
    // Of a packet of a socket.
    case refuseNamespace, drop, delay, duplicate, reorder, truncate, silence, noPong, close, disconnectNamespace
    case resetSocket
  }

  package enum Field: String, CodingKey, CaseIterable, Sendable {
    case kind
    case milliseconds, jitter, bytes, status, code, body, contentType, retryAfter, after, count, closeCode, message
    case overtaken, bytesPerSecond

    /// Its name in errors.
    var name: String { self == .milliseconds ? "time" : rawValue }
  }

  package typealias CodingKeys = Field

  package var kind: Kind
  /// How long, in milliseconds.
  package var milliseconds: Int?
  /// The largest random addition to `milliseconds`.
  package var jitter: Int?
  package var bytes: Int?
  /// An HTTP status.
  package var status: Int?
  /// A code of the contract.
  package var code: String?
  package var body: String?
  package var contentType: String?
  /// In seconds.
  package var retryAfter: Int?
  /// Whether the operation is carried out before the effect.
  package var after: Bool?
  /// How many more copies of a packet are sent.
  package var count: Int?
  /// Of a WebSocket's close frame.
  package var closeCode: Int?
  package var message: String?
  /// Whether later packets overtake this one.
  package var overtaken: Bool?
  /// Of a request's body.
  package var bytesPerSecond: Int?

  package init(_ kind: Kind) { self.kind = kind }

  /// With some fields set: `FaultEffect(.latency) { $0.milliseconds = 500 }`.
  package init(_ kind: Kind, _ set: (inout FaultEffect) -> Void) {
    self.init(kind)
    set(&self)
  }
}

extension FaultEffect {
  /// What a kind of fault applies to.
  enum Target: Equatable {
    case request, opening, packet
  }
}

extension FaultEffect.Kind {
  var target: FaultEffect.Target {
    switch self {
    case .status, .expiredToken, .limited, .latency, .answerLost, .cut, .malformedJSON, .contentType, .drip, .reset,
      .restart, .slowUpload, .cutUpload:
      .request
    case .refuseUpgrade: .opening
    case .refuseNamespace, .drop, .delay, .duplicate, .reorder, .truncate, .silence, .noPong, .close,
      .disconnectNamespace, .resetSocket:
      .packet
    }
  }

  /// The fields that must be there.
  var required: [FaultEffect.Field] {
    switch self {
    case .status: [.status]
    case .latency, .delay, .restart: [.milliseconds]
    case .cut, .cutUpload, .truncate: [.bytes]
    case .contentType: [.contentType]
    case .drip: [.bytes, .milliseconds]
    case .slowUpload: [.bytesPerSecond]
    case .expiredToken, .limited, .answerLost, .malformedJSON, .reset, .refuseUpgrade, .refuseNamespace, .drop,
      .duplicate, .reorder, .silence, .noPong, .close, .disconnectNamespace, .resetSocket:
      []
    }
  }

  /// The fields that may be there.
  var optional: [FaultEffect.Field] {
    switch self {
    case .status: [.code, .body, .contentType, .retryAfter, .after]
    case .limited: [.retryAfter]
    case .latency: [.jitter, .after]
    case .reset, .restart: [.after]
    case .refuseUpgrade: [.status]
    case .refuseNamespace: [.message]
    case .delay: [.jitter, .overtaken]
    case .duplicate: [.count]
    case .reorder: [.milliseconds]
    case .close: [.closeCode]
    case .expiredToken, .answerLost, .cut, .malformedJSON, .contentType, .drip, .drop, .truncate, .silence, .noPong,
      .disconnectNamespace, .resetSocket, .slowUpload, .cutUpload:
      []
    }
  }
}

extension FaultEffect {
  /// The fields that are set, besides the kind.
  var fields: [Field] { Field.allCases.filter(has) }

  private func has(_ field: Field) -> Bool {
    switch field {
    case .kind: false
    case .milliseconds: milliseconds != nil
    case .jitter: jitter != nil
    case .bytes: bytes != nil
    case .status: status != nil
    case .code: code != nil
    case .body: body != nil
    case .contentType: contentType != nil
    case .retryAfter: retryAfter != nil
    case .after: after != nil
    case .count: count != nil
    case .closeCode: closeCode != nil
    case .message: message != nil
    case .overtaken: overtaken != nil
    case .bytesPerSecond: bytesPerSecond != nil
    }
  }
}
