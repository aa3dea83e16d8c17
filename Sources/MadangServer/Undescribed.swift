import MadangOperations

extension MadangServer: Undescribed {}
extension Service: Undescribed {}
extension Housekeeping: Undescribed {}
extension PushQueue: Undescribed {}
extension MailQueue: Undescribed {}
extension LinkRequests: Undescribed {}
