// swift-tools-version: 6.2
import PackageDescription

// Not NonisolatedNonsendingByDefault: optimised by Swift 6.3.1, such functions return to an actor on the wrong executor if
// they end in a call that left it. What many requests call is `nonisolated(nonsending)` by itself, as any other asynchronous call looks
// for the executor of its task twice; no actor may call it directly.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Scripts/price alone sets it: modules with decoders then call out at every edge between basic blocks, and the program
// that counts the calls is there. Never otherwise, as no package may depend on one with unsafe flags.
let isPriced = Context.environment["MADANG_PRICE"] != nil
let counting: [SwiftSetting] =
  isPriced ? [.unsafeFlags(["-sanitize=fuzzer", "-sanitize-coverage=edge,trace-pc-guard", "-enable-testing"])] : []

// Packages that only chat needs are fetched with the trait `Chat` alone. Without traits (`.package(url: …, traits: [])`) the libraries
// of Socket.IO are what one can build.
extension Target.Dependency {
  static let asyncHTTPClient: Self = .product(name: "AsyncHTTPClient", package: "async-http-client")
  static let argumentParser: Self = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Chat"]))
  static let configuration: Self = .product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Chat"]))
  static let crypto: Self = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Chat"]))
  static let cryptoExtras: Self = .product(
    name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Chat"]))
  static let deque: Self = .product(name: "DequeModule", package: "swift-collections")
  static let grdb: Self = .product(
    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Chat"]))
  static let httpTypes: Self = .product(name: "HTTPTypes", package: "swift-http-types")
  static let hummingbird: Self = .product(name: "Hummingbird", package: "hummingbird")
  static let hummingbirdCore: Self = .product(name: "HummingbirdCore", package: "hummingbird")
  static let jwtKit: Self = .product(
    name: "JWTKit", package: "jwt-kit", condition: .when(traits: ["Chat"]))
  static let logging: Self = .product(name: "Logging", package: "swift-log")
  static let nioCore: Self = .product(name: "NIOCore", package: "swift-nio")
  static let nioEmbedded: Self = .product(name: "NIOEmbedded", package: "swift-nio")
  static let nioFoundationCompat: Self = .product(
    name: "NIOFoundationCompat", package: "swift-nio")
  static let nioHTTP1: Self = .product(name: "NIOHTTP1", package: "swift-nio")
  static let nioHTTPTypes: Self = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
  static let nioHTTPTypesHTTP1: Self = .product(
    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
  static let nioPosix: Self = .product(name: "NIOPosix", package: "swift-nio")
  /// For TLS of the server's own, in a Socket.IO server that may do without.
  static let nioSSLIfTLS: Self = .product(
    name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"]))
  static let nioSSL: Self = .product(name: "NIOSSL", package: "swift-nio-ssl")
  static let nioTLS: Self = .product(name: "NIOTLS", package: "swift-nio")
  static let nioWebSocket: Self = .product(name: "NIOWebSocket", package: "swift-nio")
  static let unixSignals: Self = .product(name: "UnixSignals", package: "swift-service-lifecycle")
  static let system: Self = .product(name: "SystemPackage", package: "swift-system")
  static let serviceLifecycle: Self = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
  static let asn1: Self = .product(
    name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["Chat"]))
  static let x509: Self = .product(
    name: "X509", package: "swift-certificates", condition: .when(traits: ["Chat"]))
  static let yams: Self = .product(
    name: "Yams", package: "Yams", condition: .when(traits: ["Chat"]))
}

/// Socket.IO: knows nothing of chat.
let socketIO: [Target] = [
  .target(name: "SocketIOProtocol", exclude: ["README.md"]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .target(
    name: "SocketIOServer",
    dependencies: [
      "CZlib", "SocketIOProtocol", .deque, .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioHTTP1, .nioHTTPTypes,
      .nioHTTPTypesHTTP1, .nioPosix, .nioSSLIfTLS, .nioTLS, .serviceLifecycle, .unixSignals,
    ], exclude: ["README.md"]),
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
  .target(
    name: "SocketIOPostgres", dependencies: ["CPostgres", "SocketIOServer", "SocketIOProtocol", .deque],
    exclude: ["README.md"]),
  .target(
    name: "SocketIOClient",
    dependencies: [
      "SocketIOProtocol", .asyncHTTPClient, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS, .nioWebSocket,
    ], exclude: ["README.md"]),
  .executableTarget(
    name: "socketio-echo",
    dependencies: [
      "SocketIOClient", "SocketIOPostgres", "SocketIOServer", "SocketIOProtocol", .argumentParser, .httpTypes,
      .hummingbird, .logging, .nioCore, .nioPosix,
    ]),
]

/// One server on one database. Each imports those above it only.
let chatServer: [Target] = [
  // Certificates from an authority; knows nothing of chat.
  .target(
    name: "ACME",
    dependencies: [
      "SocketIOProtocol", .asn1, .asyncHTTPClient, .crypto, .nioCore, .nioHTTP1, .nioSSL, .x509,
    ], exclude: ["README.md"]),
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
  .target(name: "Storage", dependencies: ["CPostgres", "CSQLite", .crypto, .deque, .logging], exclude: ["README.md"]),
  .target(
    name: "Migrations", path: "migrations",
    resources: [
      .embedInCode("0001_initial.sql"), .embedInCode("0002_file_removals.sql"), .embedInCode("0003_administration.sql"),
      .embedInCode("0004_payment_claims.sql"), .embedInCode("0005_installation.sql"),
      .embedInCode("0006_deletions.sql"), .embedInCode("0007_changes.sql"), .embedInCode("0008_session_expiry.sql"),
      .embedInCode("0009_push_outbox.sql"), .embedInCode("0010_push_by_room.sql"), .embedInCode("0011_audit.sql"),
      .embedInCode("0012_registration.sql"), .embedInCode("0013_hosting.sql"), .embedInCode("0014_mail.sql"),
      .embedInCode("0015_sign_in_revocations.sql"), .embedInCode("0016_accounts.sql"),
      .embedInCode("0017_operations.sql"), .embedInCode("0018_sign_in_endings.sql"), .embedInCode("0019_notices.sql"),
      .embedInCode("0020_device_owners.sql"), .embedInCode("0021_documents.sql"), .embedInCode("0022_bounds.sql"),
      .embedInCode("0023_authors.sql"), .embedInCode("0024_administrators.sql"),
      .embedInCode("0025_mail_errors.sql"), .embedInCode("0026_certificates.sql"),
      .embedInCode("0027_invitations.sql"), .embedInCode("0028_session_places.sql"),
      .embedInCode("0029_certificate_wishes.sql"), .embedInCode("0030_certificate_orders.sql"),
    ]),
  .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
  .target(
    name: "MadangCore", dependencies: ["CArgon2", "CZlib", "Storage", "Migrations", .crypto, .cryptoExtras, .logging],
    exclude: ["README.md"], resources: [.embedInCode("Resources/default.png")]),
  // Apple, Kakao, PortOne, Firebase, mail servers and buckets, behind protocols of the domain.
  .target(
    name: "MadangProviders",
    dependencies: [
      "MadangCore", "SocketIOProtocol", "Storage", .asyncHTTPClient, .crypto, .jwtKit, .logging, .nioCore, .nioHTTP1,
      .nioPosix, .nioSSL,
    ], exclude: ["README.md"]),
  .target(name: "MadangAPI", exclude: ["README.md"]),
  .target(
    name: "OpenAPIFiles", path: "openapi", exclude: ["2024-10.json", "2024-01.json", "development.json", "web.json"]),
  .target(name: "OpenAPI", dependencies: ["OpenAPIFiles"]),
  // Opening, administration, backups, the doctor: needs no listener.
  .target(
    name: "MadangOperations",
    dependencies: [
      "ACME", "MadangProviders", "MadangCore", "MadangAPI", "SocketIOProtocol", "Storage", .asyncHTTPClient, .crypto,
      .logging,
      .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .serviceLifecycle,
    ], exclude: ["README.md"]),
  .target(
    name: "MadangServer",
    dependencies: [
      "MadangOperations", "MadangProviders", "MadangCore", "MadangAPI", "OpenAPI", "SocketIOProtocol", "SocketIOServer",
      "Storage", .crypto, .hummingbird, .httpTypes, .jwtKit, .logging, .nioCore, .nioPosix, .serviceLifecycle,
    ], exclude: ["README.md"], resources: [.embedInCode("Resources")]),
  // Pages for browsers, and their calls.
  .target(
    name: "MadangWeb",
    dependencies: [
      "MadangServer", "MadangOperations", "MadangCore", "MadangAPI", "OpenAPI", "SocketIOProtocol", "SocketIOServer",
      "Storage", .crypto, .hummingbird, .httpTypes, .nioCore,
    ], exclude: ["README.md"], resources: [.embedInCode("Pages")]),
]

/// Libraries for apps, and the program, which has everything.
let clients: [Target] = [
  .target(
    name: "MadangClient",
    dependencies: [
      "MadangAPI", "SocketIOClient", "SocketIOProtocol", .asyncHTTPClient, .crypto, .grdb, .logging, .nioCore,
      .nioFoundationCompat, .nioHTTP1, .nioPosix, .nioSSL,
    ], exclude: ["README.md"]),
  .executableTarget(
    name: "madang",
    dependencies: [
      "MadangServer", "MadangWeb", "MadangOperations", "MadangCore", "MadangClient", "MadangAPI", "MadangDevelopment",
      "Conformance", .argumentParser, .asyncHTTPClient, .configuration, .logging, .nioCore, .nioHTTP1, .system,
      .unixSignals, .serviceLifecycle,
    ], exclude: ["README.md"]),
]

/// For people who test clients. The server does not know it.
let testKit: [Target] = [
  // Worlds, seeds, faults, the journal: behind `/_dev` of a server in development mode.
  .target(
    name: "MadangDevelopment",
    dependencies: [
      "MadangServer", "MadangWeb", "MadangOperations", "MadangCore", "MadangAPI", "OpenAPI", "SocketIOProtocol",
      "SocketIOServer", "Storage", .crypto, .deque, .hummingbird, .httpTypes, .logging, .nioCore, .nioEmbedded,
      .nioPosix, .serviceLifecycle, .yams,
    ], exclude: ["README.md"], resources: [.embedInCode("Resources")]),
  // The same as a library for tests in Swift.
  .target(
    name: "MadangTesting",
    dependencies: ["MadangDevelopment", "MadangServer", "MadangCore", "MadangClient", "MadangAPI", .logging],
    exclude: ["README.md"]),
  // The wire contract as a black-box suite, for any server.
  .target(
    name: "Conformance",
    dependencies: [
      "MadangAPI", "SocketIOClient", "SocketIOProtocol", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix,
    ], exclude: ["README.md"]),
]

/// Programs of the documentation, which so keep compiling.
let examples: [Target] = [
  .executableTarget(name: "socketio-example", dependencies: ["SocketIOServer"], path: "Examples/SocketIOExample"),
  .executableTarget(
    name: "socketio-client-example", dependencies: ["SocketIOClient"], path: "Examples/SocketIOClientExample"),
  .executableTarget(
    name: "socketio-tutorial-first", dependencies: ["SocketIOServer"], path: "Examples/SocketIOTutorial/First"),
  .executableTarget(
    name: "socketio-tutorial-server", dependencies: ["SocketIOServer"], path: "Examples/SocketIOTutorial/Server"),
  .executableTarget(
    name: "socketio-tutorial-client", dependencies: ["SocketIOClient"], path: "Examples/SocketIOTutorial/Client"),
  .executableTarget(
    name: "socketio-binary-server", dependencies: ["SocketIOServer"], path: "Examples/SocketIOBinary/Server"),
  .executableTarget(
    name: "socketio-binary-client", dependencies: ["SocketIOClient"], path: "Examples/SocketIOBinary/Client"),
  .executableTarget(
    name: "socketio-hummingbird", dependencies: ["SocketIOServer", .hummingbird, .nioCore],
    path: "Examples/SocketIOHummingbird"),
  .target(name: "ChatScreenExample", dependencies: ["MadangClient"], path: "Examples/ChatScreen"),
]

/// Tests, and what they share.
let tests: [Target] = [
  .target(
    name: "Support",
    dependencies: [
      "MadangDevelopment", "MadangServer", "MadangOperations", "MadangProviders", "MadangCore", "MadangClient",
      "MadangAPI", "OpenAPI", "SocketIOClient", "Storage", .asyncHTTPClient, .hummingbird, .logging,
      .nioCore, .nioHTTP1, .nioPosix,
    ], path: "Tests/Support"),
  .target(name: "Fuzzing", path: "Tests/Fuzzing", resources: [.copy("Corpus")]),
  // Knows nothing of Madang.
  .target(
    name: "SocketIOSupport", dependencies: ["SocketIOClient", "SocketIOProtocol", .logging, .nioCore, .nioPosix],
    path: "Tests/SocketIOSupport"),
  .testTarget(name: "SocketIOProtocolTests", dependencies: ["Fuzzing", "SocketIOProtocol"]),
  .testTarget(
    name: "SocketIOServerTests",
    dependencies: [
      "CZlib", "Fuzzing", "SocketIOServer", "SocketIOClient", "SocketIOProtocol", "SocketIOSupport", .httpTypes,
      .hummingbird, .hummingbirdCore, .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioHTTPTypes, .nioPosix, .nioSSL,
      .nioTLS, .serviceLifecycle,
    ], resources: [.embedInCode("Resources/reference-wire.txt")]),
  .testTarget(
    name: "SocketIOClientTests",
    dependencies: [
      "SocketIOClient", "SocketIOServer", "SocketIOProtocol", "SocketIOSupport", .httpTypes, .logging, .nioCore,
      .nioPosix, .nioSSL,
    ]),
  .testTarget(
    name: "SocketIOPostgresTests",
    dependencies: [
      "CPostgres", "SocketIOPostgres", "SocketIOServer", "SocketIOClient", "SocketIOProtocol", "SocketIOSupport",
      .httpTypes, .logging, .nioCore,
    ]),
  .testTarget(name: "StorageTests", dependencies: ["SocketIOSupport", "Storage", "Support", .logging]),
  .testTarget(name: "MadangCoreTests", dependencies: ["MadangCore", "Storage", "Support"]),
  // An authority for tests; knows nothing of Madang.
  .target(
    name: "ACMESupport", dependencies: ["ACME", .asn1, .crypto, .httpTypes, .hummingbird, .logging, .nioCore, .x509],
    path: "Tests/ACMESupport"),
  .testTarget(name: "ACMETests", dependencies: ["ACME", "ACMESupport", .asn1, .crypto, .x509]),
  .testTarget(
    name: "MadangProvidersTests", dependencies: ["Fuzzing", "MadangProviders", "MadangCore", .nioCore, .nioPosix]),
  .testTarget(
    name: "MadangClientTests",
    dependencies: [
      "MadangTesting", "MadangClient", "MadangAPI", "Support", .asyncHTTPClient, .nioCore, .nioPosix, .nioSSL, .nioTLS,
    ]),
  .testTarget(
    name: "MadangServerTests",
    dependencies: [
      "ACME", "ACMESupport", "Fuzzing", "MadangServer", "MadangOperations", "MadangProviders", "MadangCore",
      "MadangAPI", "SocketIOClient",
      "SocketIOProtocol", "SocketIOServer", "SocketIOSupport", "Storage", "Support", .crypto, .cryptoExtras, .httpTypes,
      .asyncHTTPClient, .hummingbird, .jwtKit, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .nioTLS,
    ]),
  .testTarget(
    name: "MadangDevelopmentTests",
    dependencies: [
      "MadangDevelopment", "MadangServer", "MadangOperations", "MadangCore", "MadangClient", "MadangAPI",
      "SocketIOClient", "SocketIOProtocol", "SocketIOSupport", "Storage", "Support", .asyncHTTPClient,
      .httpTypes, .hummingbird, .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix, .serviceLifecycle,
    ]),
  .testTarget(
    name: "MadangWebTests",
    dependencies: [
      "MadangWeb", "MadangDevelopment", "MadangServer", "MadangOperations", "MadangCore", "MadangAPI", "OpenAPI",
      "SocketIOClient", "SocketIOProtocol", "SocketIOServer", "SocketIOSupport", "Storage", "Support", .asyncHTTPClient,
      .logging, .nioCore, .nioHTTP1,
    ]),
  .testTarget(name: "MadangTestingTests", dependencies: ["MadangTesting", "MadangClient", "MadangAPI"]),
  .testTarget(
    name: "ConformanceTests",
    dependencies: [
      "Conformance", "MadangServer", "MadangOperations", "MadangCore", "MadangAPI", "SocketIOProtocol", "Support",
      .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix,
    ]),
  .testTarget(
    name: "MadangCommandTests",
    dependencies: [
      "madang", "MadangServer", "MadangOperations", "MadangProviders", "MadangDevelopment", "MadangCore",
      "MadangClient", "MadangAPI", .argumentParser, .logging,
    ]),
  .executableTarget(
    name: "room-device", dependencies: ["MadangAPI", "MadangClient", .nioCore, .unixSignals], path: "Tests/RoomDevice"),
  .testTarget(
    name: "EndToEndTests",
    dependencies: [
      "MadangAPI", "MadangClient", "MadangServer", "MadangOperations", "MadangCore", "SocketIOClient",
      "SocketIOProtocol", "SocketIOSupport", "Storage", "Support", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix,
    ]),
]

let package = Package(
  name: "madang",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "SocketIOProtocol", targets: ["SocketIOProtocol"]),
    .library(name: "SocketIOServer", targets: ["SocketIOServer"]),
    .library(name: "SocketIOPostgres", targets: ["SocketIOPostgres"]),
    .library(name: "SocketIOClient", targets: ["SocketIOClient"]),
    .library(name: "MadangAPI", targets: ["MadangAPI"]),
    .library(name: "MadangServer", targets: ["MadangServer", "MadangOperations", "MadangProviders", "MadangCore"]),
    .library(name: "MadangClient", targets: ["MadangClient"]),
    .library(name: "MadangTesting", targets: ["MadangTesting"]),
    .executable(name: "madang", targets: ["madang"]),
    .executable(name: "socketio-echo", targets: ["socketio-echo"]),
  ],
  traits: [
    .default(enabledTraits: ["Chat"]),
    .trait(
      name: "Chat", description: "All that is no library of Socket.IO: the chat's server, client and tools",
      enabledTraits: ["TLS"]),
    .trait(name: "TLS", description: "TLS of a Socket.IO server's own, without a proxy (builds BoringSSL)"),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: socketIO + chatServer + clients + testKit + examples + tests
)

if isPriced {
  package.targets += [
    .target(
      name: "PriceCounters", path: "Tests/PriceCounters", cSettings: [.unsafeFlags(["-fno-builtin"])]),
    .executableTarget(
      name: "price",
      dependencies: [
        "Fuzzing", "MadangAPI", "MadangCore", "MadangDevelopment", "MadangProviders", "MadangServer",
        "MadangOperations", "PriceCounters",
        "SocketIOPostgres",
        "SocketIOProtocol", "SocketIOServer", "Storage", .hummingbird, .httpTypes, .jwtKit, .nioCore,
      ],
      path: "Tests/Price"),
  ]
}

/// Modules with decoders.
let counted: Set = [
  "SocketIOProtocol", "SocketIOServer", "SocketIOPostgres", "MadangCore", "MadangProviders", "MadangAPI",
  "MadangServer", "MadangDevelopment",
]

/// In C.
let withoutSwift: Set = ["OpenAPIFiles", "PriceCounters"]

for target in package.targets where target.type != .system && !withoutSwift.contains(target.name) {
  target.swiftSettings = strict + (counted.contains(target.name) ? counting : [])
}
