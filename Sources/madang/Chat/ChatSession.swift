import Dispatch
import Foundation
import MadangAPI
import MadangClient
import UnixSignals

/// A conversation on the terminal, from the first drawing until the person leaves.
struct ChatSession {
  let conversation: Conversation

  private enum Event: Sendable {
    case typed([UInt8])
    /// The terminal was closed.
    case hungUp
    case signal(UnixSignal)
    case news(Conversation.News)
  }

  /// Returns the exit status.
  func run() async throws -> Int32 {
    // Unbounded, but short: it receives one person's keys, and the room's updates arrive in pages.
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    let (wishes, wish) = AsyncStream.makeStream(of: Conversation.Wish.self)
    let terminal = try FullScreen()
    defer { terminal.leave() }
    let keyboard = Self.keyboard(feed)
    defer { keyboard.cancel() }
    return try await withThrowingTaskGroup(of: Void.self) { [conversation] group in
      group.addTask {
        for await signal in await UnixSignalsSequence(trapping: .sigwinch, .sigterm, .sighup, .sigint) {
          feed.yield(.signal(signal))
        }
      }
      group.addTask { await conversation.run { feed.yield(.news($0)) } }
      group.addTask { await conversation.follow { feed.yield(.news($0)) } }
      group.addTask { await conversation.countOthers { feed.yield(.news($0)) } }
      group.addTask { await conversation.fulfil(wishes) { feed.yield(.news($0)) } }
      defer { group.cancelAll() }
      var state = State(title: "\(conversation.named.name) in \(conversation.workspace.name)", wish: wish)
      var keys = KeyReader()
      try state.draw(on: terminal)
      for await event in events {
        switch event {
        case .typed(let bytes):
          for key in keys.keys(in: bytes) {
            if key == .redraw { terminal.forget() }
            if state.press(key) { return 0 }
          }
        case .hungUp, .signal(.sighup): return 128 + SIGHUP
        case .signal(.sigterm): return 128 + SIGTERM
        case .signal(.sigint): return 0
        case .signal: break
        case .news(.ended(let error)): throw error
        case .news(let news): state.take(news)
        }
        if state.isDone { return 0 }
        try state.draw(on: terminal)
      }
      return 0
    }
  }

  private static func keyboard(_ feed: AsyncStream<Event>.Continuation) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      feed.yield(count > 0 ? .typed(Array(buffer[..<count])) : .hungUp)
    }
    source.resume()
    return source
  }
}

extension ChatSession {
  /// The screen, and how keys and updates change it.
  private struct State {
    private var screen: ChatScreen
    private let wish: AsyncStream<Conversation.Wish>.Continuation
    /// Whether a page of older chats is being read.
    private var isReadingOlder = false
    private var isAllSaid = false

    init(title: String, wish: AsyncStream<Conversation.Wish>.Continuation) {
      screen = ChatScreen(title: title, hasColour: Terminal.hasColour)
      self.wish = wish
    }

    /// Whether the person has left and all their chats are sent.
    var isDone: Bool { isAllSaid && !screen.pending.contains(where: \.isOnItsWay) }

    mutating func draw(on terminal: FullScreen) throws {
      let size = FullScreen.size
      try terminal.draw(screen.frame(size), size)
      guard screen.wantsOlder, !isReadingOlder, let oldest = screen.oldest else { return }
      isReadingOlder = true
      wish.yield(.older(than: oldest.createdAt))
    }

    /// Returns whether to leave at once.
    mutating func press(_ key: Key) -> Bool {
      if screen.line.press(key) { return false }
      let page = ChatScreen.chatRows(FullScreen.size) - 1
      switch key {
      case .interrupt: return true
      case .endOfInput: if screen.line.text.isEmpty { leave() }
      case .up: screen.scroll(rows: 1)
      case .down: screen.scroll(rows: -1)
      case .pageUp: screen.scroll(rows: max(1, page))
      case .pageDown: screen.scroll(rows: -max(1, page))
      case .enter: enter()
      default: break
      }
      return false
    }

    private mutating func enter() {
      screen.notice = ""
      switch TypedLine(screen.line.take(), home: NSHomeDirectory()) {
      case .nothing: break
      case .say(let text): wish.yield(.say(text))
      case .file(let path): wish.yield(.file(path: path))
      case .retry: for chat in screen.pending where chat.hasFailed { wish.yield(.retry(chat.id)) }
      case .discard: for chat in screen.pending where chat.hasFailed { wish.yield(.discard(chat.id)) }
      case .help: screen.notice = TypedLine.advice
      case .quit: leave()
      case .unknown(let word): screen.notice = "there is no command /\(word); /help lists them"
      }
      screen.scrollToEnd()
    }

    /// Leaves as soon as all chats are sent.
    private mutating func leave() {
      screen.notice = "leaving when everything is sent; Ctrl-C leaves at once"
      wish.finish()
    }

    mutating func take(_ news: Conversation.News) {
      switch news {
      case .update(let update): screen.apply(update)
      case .older(let chats):
        screen.add(older: chats)
        isReadingOlder = false
      case .unread(let counts): screen.unread = counts
      case .refused(let error): screen.notice = "\(error)"
      case .allSaid: isAllSaid = true
      case .ended: break
      }
    }
  }
}
