package madang.testing;

import java.util.List;
import java.util.stream.Collectors;

/** The parts of the API that the clients of a world have used. */
public final class Coverage {
  private final Json json;

  Coverage(Json json) {
    this.json = json;
  }

  /**
   * All of it. A file with this text can be given to {@code madang dev coverage}.
   *
   * @return {@code counts} and {@code report}
   */
  public Json json() {
    return json;
  }

  /**
   * The share of all parts that were used.
   *
   * @return 0 to 100, rounded down to a tenth
   */
  public double percent() {
    return json.get("report").get("percent").decimal();
  }

  /**
   * How often an operation was carried out in edition 2024-10.
   *
   * @param operation its {@code operationId}
   * @return the number of times
   */
  public long count(String operation) {
    return operations().get("counts").numberOf(operation);
  }

  /**
   * The operations of edition 2024-10 that were never carried out.
   *
   * @return their names
   */
  public List<String> missing() {
    return operations().get("missing").list().stream().map(Json::text).collect(Collectors.toList());
  }

  private Json operations() {
    return json.get("report").get("parts").list().stream()
        .filter(part -> part.get("edition").text().equals("2024-10") && part.get("section").text().equals("operations"))
        .findFirst().orElseThrow();
  }
}
