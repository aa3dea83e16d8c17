import MadangServer

extension Setting {
  static let development: [Setting] = [
    flag("dev", "development mode", \.settings.isDevelopment),
    flag("dev.kit", "development mode has worlds, clock, faults and a journal for tests", \.hasTestKit),
    flag("dev.lan", "development mode for devices in the local network too", \.isForLocalNetwork),
    secret(
      "dev.token", "what development calls from other machines show; empty with --lan for a random one",
      \.settings.developmentToken),
  ]
}
