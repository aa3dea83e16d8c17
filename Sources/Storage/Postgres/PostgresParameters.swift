import CPostgres

/// Parameters in libpq's form: binary, in one buffer.
///
/// Integers are declared bigint, reals double precision and texts text, so that `$1 + 1` is a 64-bit sum and no type depends on the value.
/// Only the type of a null without Swift type is left to the engine.
struct PostgresParameters {
  private var bytes: [CChar] = []
  private var offsets: [Int?] = []
  private var lengths: [CInt] = []

  init(_ parameters: [SQL.Parameter]) {
    for parameter in parameters {
      let start = bytes.count
      switch parameter.value {
      case .null:
        offsets.append(nil)
        lengths.append(0)
        continue
      case .integer(let value): append(UInt64(bitPattern: value))
      case .real(let value): append(value.bitPattern)
      case .text(var value):
        value.withUTF8 { text in bytes.append(contentsOf: text.lazy.map(CChar.init(bitPattern:))) }
      }
      offsets.append(start)
      lengths.append(CInt(clamping: bytes.count - start))
    }
    // An extra byte, so that even an empty text at the end has an address.
    bytes.append(0)
  }

  private mutating func append(_ word: UInt64) {
    withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0.lazy.map(CChar.init(bitPattern:))) }
  }

  func withPointers<Result>(
    _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [CInt], _ formats: [CInt]) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      let values = offsets.map { offset in offset.flatMap { buffer.baseAddress?.advanced(by: $0) } }
      return body(values, lengths, [CInt](repeating: 1, count: values.count))
    }
  }

  static func types(_ parameters: [SQL.Parameter]) -> [Oid] {
    parameters.map { parameter in
      switch parameter.value {
      case .integer: 20
      case .real: 701
      case .text: 25
      case .null:
        switch parameter.type {
        case .integer: 20
        case .real: 701
        case .text: 25
        case .inferred: 0
        }
      }
    }
  }
}
