import ArgumentParser

struct JSONOption: ParsableArguments {
  @Flag(help: "Print JSON: one object, or one per line.")
  var json = false

  var output: Output { Output(json: json) }
}
