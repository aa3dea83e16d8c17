package madang.testing;

import java.util.List;
import java.util.stream.Collectors;

/** Channels of the workspace {@code Weekend}, as clients find them. */
final class Rooms {
  private Rooms() {}

  static String workspace(MadangClient client) {
    return "workspaces/" + client.get("workspaces").find("name", "Weekend").get("workspace_id").text();
  }

  static String channel(MadangClient client, String name) {
    String channels = workspace(client) + "/channels";
    return channels + "/" + client.get(channels).find("name", name).get("channel_id").text();
  }

  static List<String> texts(MadangClient client, String channel) {
    return client.get(channel + "/chats").list().stream().map(chat -> chat.get("content").text()).collect(Collectors.toList());
  }
}
