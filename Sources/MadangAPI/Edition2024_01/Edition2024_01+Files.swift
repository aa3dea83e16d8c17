extension Edition2024_01 {

  public static let file = Endpoint<FileBytes>(.get, "/v1/static/{folder}/{name}", .token)
}
