import NIOCore

/// Runs tasks on an event loop, so that they cross no thread on their way to and from its channels.
final class EventLoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop
  private let share: NIOLoopBound<LoopShare?>

  /// - Parameter share: Whose share of the loop's time the tasks are counted to.
  init(_ loop: any EventLoop, share: NIOLoopBound<LoopShare?>) {
    self.loop = loop
    self.share = share
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute {
      if let share = self.share.value {
        share.spend { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      } else {
        job.runSynchronously(on: self.asUnownedTaskExecutor())
      }
    }
  }
}
