extension [Int] {
  /// The number of elements at the beginning that fulfil a condition; after the first that does not, none may. Binary search.
  func count(while condition: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
