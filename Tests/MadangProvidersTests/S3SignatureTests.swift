import Testing

@testable import MadangProviders

struct SignatureExample: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var method = "GET"
  var path = "/"
  var query: [(String, String)] = []
  var headers: [(String, String)] = []
  /// Of nothing, unless given.
  var payloadHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  let signature: String
}

/// What Amazon publishes: its test suite of Signature Version 4, and the examples of the S3 documentation.
@Suite("AWS signatures", .timeLimit(.minutes(5)))
struct S3SignatureTests {
  static let welcome = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
  static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

  static let vectors = [
    SignatureExample(
      testDescription: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    SignatureExample(
      testDescription: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    SignatureExample(
      testDescription: "get-vanilla-query-unreserved", query: [(Self.unreserved, Self.unreserved)],
      signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    SignatureExample(
      testDescription: "get-header-key-duplicate",
      headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
      signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    SignatureExample(
      testDescription: "post-x-www-form-urlencoded", method: "POST",
      headers: [("Content-Type", "application/x-www-form-urlencoded")],
      payloadHash: "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
  ]

  @Test("signatures match the examples of AWS's test suite", arguments: vectors)
  func suite(_ example: SignatureExample) {
    let signature = AWSSignature(
      accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1",
      service: "service")
    let date = "20150830T123600Z"
    let headers = example.headers + [("Host", "example.amazonaws.com"), ("X-Amz-Date", date)]
    let field = signature.authorization(
      method: example.method, path: example.path, query: example.query, headers: headers,
      payloadHash: example.payloadHash, date: date)
    #expect(
      field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=")
    )
    #expect(field.hasSuffix(", Signature=\(example.signature)"))
  }

  static let ofS3 = [
    SignatureExample(
      testDescription: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    SignatureExample(
      testDescription: "PUT Object", method: "PUT", path: "/test$file.text".percentEncoded(keeping: UInt8(ascii: "/")),
      headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      payloadHash: Self.welcome, signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    SignatureExample(
      testDescription: "GET Bucket Lifecycle", query: [("lifecycle", "")],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    SignatureExample(
      testDescription: "List Objects", query: [("prefix", "J"), ("max-keys", "2")],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test("signatures match the examples of S3's documentation", arguments: ofS3)
  func examplesOfS3(_ example: SignatureExample) {
    let signature = AWSSignature(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1", service: "s3")
    let date = "20130524T000000Z"
    let headers =
      example.headers + [
        ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", example.payloadHash), ("x-amz-date", date),
      ]
    let field = signature.authorization(
      method: example.method, path: example.path, query: example.query, headers: headers,
      payloadHash: example.payloadHash, date: date)
    #expect(field.hasSuffix(", Signature=\(example.signature)"))
  }

  @Test("Amazon's buckets are addressed by host name, others by path")
  func servers() {
    var settings = S3Settings()
    settings.region = "eu-central-1"
    let amazon = S3Server(bucket: "photos", settings)
    #expect(amazon.origin == "https://photos.s3.eu-central-1.amazonaws.com" && amazon.path("a/b.png") == "/a/b.png")
    #expect(amazon.path("") == "/")
    let dotted = S3Server(bucket: "my.photos", settings)
    #expect(dotted.host == "s3.eu-central-1.amazonaws.com" && dotted.path("a") == "/my.photos/a")
    settings.endpoint = "http://localhost:9000/"
    let own = S3Server(bucket: "photos", settings)
    #expect(own.origin == "http://localhost:9000" && own.host == "localhost:9000" && own.path("a") == "/photos/a")
    settings.endpoint = "https://s3.example.com:443"
    #expect(S3Server(bucket: "photos", settings).host == "s3.example.com")
  }
}
