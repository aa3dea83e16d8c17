package madang.testing;

import java.io.File;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

/** Finds the server of the environment, or starts one. */
final class ServerFinder {
  static final String DEFAULT_URL = "http://127.0.0.1:8080";

  private final Function<String, String> environment;
  private final String defaultUrl;
  /** How long a server may take to say that it is there. */
  Duration limit = Duration.ofSeconds(30);

  /**
   * Uses these settings.
   *
   * @param environment the value of a variable; null if it is not set
   */
  ServerFinder(Function<String, String> environment, String defaultUrl) {
    this.environment = environment;
    this.defaultUrl = defaultUrl;
  }

  /** Finds or starts the server, and prints which one it is. */
  static Backend find(Function<String, String> environment) {
    Backend backend = new ServerFinder(environment, DEFAULT_URL).backend();
    System.err.println("madang: " + (backend.isStarted() ? "started" : "found") + " at " + backend.url);
    return backend;
  }

  /**
   * A variable of the environment, unless there is a property: {@code madang.dev.url} is {@code MADANG_DEV_URL}. Null if it is unset or
   * empty.
   */
  static String variable(String name, Function<String, String> properties) {
    String property = properties.apply(name.toLowerCase(Locale.ROOT).replace('_', '.'));
    String value = property == null ? System.getenv(name) : property;
    return value == null || value.isEmpty() ? null : value;
  }

  /** A named server comes first, then a named program, the server at the default address, and the program on the PATH. */
  Backend backend() {
    String url = environment.apply("MADANG_DEV_URL");
    String program = environment.apply("MADANG_PROGRAM");
    if (url == null && program != null) {
      return startNamed(program);
    }
    Backend found = new Backend(url == null ? defaultUrl : address(url), environment.apply("MADANG_DEV_TOKEN"), null);
    // Another program may be at the default address: it is asked for 5 s only.
    String fault = fault(found, url == null ? found.limitOfAbout : limit);
    if (fault == null) {
      return found;
    }
    found.close();
    if (url != null) {
      throw new MadangError("MADANG_DEV_URL is " + url + ", but " + fault
          + ". Start 'madang serve --dev' there, or unset MADANG_DEV_URL: then the tests start a server themselves");
    }
    return start(programOnPath());
  }

  /** The address of MADANG_DEV_URL, which may lack {@code http://}, and may be that of the console, with {@code /_dev/}. */
  private static String address(String text) {
    String url = (text.contains("://") ? text : "http://" + text).replaceFirst("(/_dev)?/*$", "");
    if (url.matches("https?://[^/?#\\s]+")) {
      return url;
    }
    int console = url.indexOf("/_dev/");
    throw new MadangError("MADANG_DEV_URL is " + text + (console < 0
        ? ", which is no address such as " + DEFAULT_URL
        : ", which is more than an address: set it to " + url.substring(0, console)
            + ", and MADANG_DEV_TOKEN to the token behind /_dev/, if there is one"));
  }

  private static Backend startNamed(String program) {
    try {
      return start(program);
    } catch (MadangError error) {
      throw new MadangError("MADANG_PROGRAM is " + program + ", but " + error.getMessage()
          + ". Set MADANG_PROGRAM to the path of the program 'madang'", 0, null, error);
    }
  }

  private static Backend start(String program) {
    StartedServer started = StartedServer.start(program);
    return new Backend(started.url, null, started);
  }

  /** Why the tests cannot use this server; null if they can. */
  private String fault(Backend backend, Duration limit) {
    try {
      HttpResponse<String> answer = backend.about(limit);
      if (answer.statusCode() == 200) {
        Json.parse(answer.body()).get("keys");
        return null;
      }
      return "it answers " + answer.statusCode() + " " + Printable.of(answer.body()) + " to development calls; those of other machines"
          + " need the token that 'madang serve --dev --lan' prints, in MADANG_DEV_TOKEN";
    } catch (MadangError error) {
      return error.getMessage();
    } catch (RuntimeException notOfMadang) {
      return "what answers there is not Madang in development mode";
    }
  }

  private String programOnPath() {
    String path = environment.apply("PATH");
    for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
      File file = new File(folder, "madang");
      if (file.isFile() && file.canExecute()) {
        return file.getAbsolutePath();
      }
    }
    throw new MadangError("no development server is at " + defaultUrl + ", and no program 'madang' is on the PATH. Start"
        + " 'madang serve --dev', or name the program in MADANG_PROGRAM, or a server in MADANG_DEV_URL");
  }
}
