package madang.testing;

/** A call that the server refused or did not answer. The message is the server's own, which names the field and the cure. */
public final class MadangError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;

  MadangError(String message, int status, String code, Throwable cause) {
    super(message, cause);
    this.status = status;
    this.code = code;
  }

  MadangError(String message) {
    this(message, 0, null, null);
  }

  /**
   * The HTTP status.
   *
   * @return 0 if there was no answer
   */
  public int status() {
    return status;
  }

  /**
   * The error code of the contract, such as {@code E05}.
   *
   * @return null if the refusal has none
   */
  public String code() {
    return code;
  }
}
