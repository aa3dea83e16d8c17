import NIOCore

/// Runs tasks on an event loop, so that they cross no thread on their way to and from its channels.
final class EventLoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
