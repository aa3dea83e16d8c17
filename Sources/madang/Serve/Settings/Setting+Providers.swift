import MadangServer

extension Setting {
  static let providers: [Setting] = [
    text(
      "providers.ca", "PEM file of authorities of providers' certificates, besides the system's",
      \.settings.providers.authorityFile),
    text("payments.portone.url", "PortOne's REST API", \.settings.providers.portOne.url),
    secret("payments.portone.key", "imp_key of the shop; empty for no payments", \.settings.providers.portOne.key),
    secret("payments.portone.secret", "imp_secret of the shop", \.settings.providers.portOne.secret),
    Setting(
      key: "payments.portone.pg",
      help: "pg_id of the shops whose payments count, separated by commas; empty for all, also for tests",
      read: { text, loaded throws(Invalid) in
        loaded.settings.providers.portOne.shops = Set(text.split(separator: ",").map(String.init))
      }, show: { $0.settings.providers.portOne.shops.sorted().joined(separator: ",") }),
    text("payments.portone.v2.url", "PortOne's REST API v2", \.settings.providers.portOneV2.url),
    secret(
      "payments.portone.v2.secret", "V2 API secret of the shop, in place of key and secret of v1",
      \.settings.providers.portOneV2.secret),
    text(
      "payments.portone.v2.store", "store id; empty for the store of the secret", \.settings.providers.portOneV2.store),
    flag(
      "payments.portone.v2.tests", "whether payments through test channels, which cost nothing, count",
      \.settings.providers.portOneV2.takesTests),
    Setting(
      key: "store.items", help: "what the store sells, NAME:WON:COINS separated by commas",
      read: { text, loaded throws(Invalid) in
        guard loaded.settings.setStoreItems(text) else {
          throw Invalid(cure: "write 10 Coin:100:10,50 Coin:500:50, each amount once")
        }
      }, show: { $0.settings.storeItems }
    ).live,
    text("apple.keys.url", "where Apple publishes the keys of its tokens", \.settings.providers.apple.keysURL),
    Setting(
      key: "apple.audience", help: "bundle ids whose Apple tokens are taken, separated by commas; empty for none",
      read: { text, loaded throws(Invalid) in
        loaded.settings.providers.apple.audiences = Set(text.split(separator: ",").map(String.init))
      }, show: { $0.settings.providers.apple.audiences.sorted().joined(separator: ",") }),
    flag(
      "apple.notices", "whether Apple's notices of people who revoke access are taken, at /_hooks/apple",
      \.settings.providers.apple.takesNotices),
    text("kakao.url", "https://kapi.kakao.com; empty for no sign-in with Kakao", \.settings.providers.kakao.url),
    integer("kakao.app", "the number of the Kakao app whose tokens are taken", \.settings.providers.kakao.app),
    flag("kakao.any.app", "whether tokens of every Kakao app are taken", \.settings.providers.kakao.takesAnyApp),
    secret(
      "kakao.admin.key", "the Kakao app's admin key: takes its notices at /_hooks/kakao, and unlinks who is deleted",
      \.settings.providers.kakao.adminKey),
    text("push.firebase.account", "service account file; empty for no push", \.settings.providers.firebase.accountFile),
    text("push.firebase.url", "Firebase Cloud Messaging", \.settings.providers.firebase.url),
    integer(
      "push.firebase.timeout", "seconds one call of Firebase may take", \.settings.providers.firebase.timeout, 1...25),
    text(
      "push.apns.key", "APNs key file (.p8); empty for no push to APNs itself", \.settings.providers.applePush.keyFile),
    text("push.apns.kid", "the APNs key's id", \.settings.providers.applePush.keyID),
    text("push.apns.team", "the Apple developer team's id", \.settings.providers.applePush.team),
    text("push.apns.topic", "the app's bundle id", \.settings.providers.applePush.topic),
    text("push.apns.url", "Apple Push Notification service", \.settings.providers.applePush.url),
    integer("push.apns.timeout", "seconds one call of APNs may take", \.settings.providers.applePush.timeout, 1...25),
    text("push.text", "what a notification of a chat without text says", \.settings.push.noText),
    milliseconds("push.lifetime", "seconds a chat may wait to be pushed", \.settings.push.lifetime),
    integer("push.parallel", "notifications on their way at once", \.settings.push.parallelSends, 1...1000),
    integer("push.devices", "devices of one person that are told, the newest", \.settings.pushDevices, 1...1000).live,
    integer(
      "push.delayed", "notifications kept in memory that their provider has put off for a device",
      \.settings.push.maxPutOff, 1...1_000_000),
  ]
}
