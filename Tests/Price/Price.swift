import Foundation
import PriceCounters

/// Examines what decoders cost: work per byte must not grow with length, memory must not exceed a multiple of the input.
@main
enum Price {
  private static let usage = """
    Usage: price [INPUTS] [SEED] [DECODER [NUMBER [FILE]]]

    Examines every decoder, or one, with INPUTS inputs each (default 1000000), made by SEED (default 1).
    With NUMBER only that input, which is written to FILE.
    Exit status: 0 nothing found, 1 found something, 2 wrong arguments, 3 one decoder trapped.
    """

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let network = try await Decoder.ofProtocols + Decoder.ofSocketServer + Decoder.ofMadang() + Decoder.ofProviders()
    let decoders = try network + Decoder.ofHeads() + Decoder.ofAnswers + Decoder.ofDevelopment + Decoder.ofBackups()
    guard arguments.count <= 5, let count = argument(0, of: arguments, default: 1_000_000),
      let seed = argument(1, of: arguments, default: 1)
    else { return refuse() }
    guard arguments.count > 2 else { return try examineAll(decoders, count, seed) }
    guard let decoder = decoders.first(where: { $0.name == arguments[2] }) else { return refuse() }
    var examination = try Examination(decoder, seed: UInt64(seed))
    guard arguments.count > 3 else { return await examine(&examination, 0..<count, seed) }
    guard let number = Int(arguments[3]), number >= 0 else { return refuse() }
    let input = examination.input(number)
    print("\(input.bytes.count) bytes, cut at \(input.cut.first), then \(input.cut.rest)")
    print(String(decoding: input.bytes.prefix(2000), as: UTF8.self).debugDescription)
    if arguments.count > 4 { try Data(input.bytes).write(to: URL(filePath: arguments[4])) }
    await examine(&examination, number..<number + 1, seed)
  }

  private static func argument(_ index: Int, of arguments: [String], default value: Int) -> Int? {
    guard index < arguments.count else { return value }
    return Int(arguments[index]).flatMap { $0 >= 0 ? $0 : nil }
  }

  private static func refuse() {
    print(usage)
    exit(2)
  }

  /// Each decoder in a process of its own, so that a trap ends only that one.
  private static func examineAll(_ decoders: [Decoder], _ count: Int, _ seed: Int) throws {
    var failed: [String] = []
    for decoder in decoders {
      let process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [String(count), String(seed), decoder.name]
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus != 0 { failed.append(decoder.name) }
    }
    guard failed.isEmpty else {
      print("Found something in: \(failed.joined(separator: ", "))")
      exit(1)
    }
    print("\(decoders.count) decoders, \(count) inputs each, seed \(seed): nothing found")
  }

  /// Ends the process at the first find.
  private static func examine(_ examination: inout Examination, _ numbers: Range<Int>, _ seed: Int) async {
    let name = examination.decoder.name
    // Never freed: a trap reports with it.
    price_watch(strdup("FIND \(name), again by `Scripts/price 1 \(seed) \(name) NUMBER`, input "))
    let began = ContinuousClock.now
    for number in numbers {
      do {
        try await examination.examine(number)
      } catch {
        print("FIND \(name), again by `Scripts/price 1 \(seed) \(name) NUMBER`, input \(number): \(error)")
        exit(1)
      }
      if number % 200_000 == 199_999 { print("\(name): \(number + 1) ...") }
    }
    let seconds = (ContinuousClock.now - began).components.seconds
    print("\(name): \(numbers.count) inputs in \(seconds) s; \(examination.measured.description)")
  }
}
