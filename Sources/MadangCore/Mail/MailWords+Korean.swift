extension MailWords {
  static let korean = MailWords(
    test: Letter(
      subject: "{name}: 메일이 잘 도착했어요",
      body: "메일이 잘 가는지 확인하려고 보낸 메일이에요. 아무것도 하지 않아도 돼요."),
    passwordReset: Letter(
      subject: "{name}: 새 비밀번호 정하기",
      body: """
        {name} 계정의 비밀번호를 새로 정하고 싶다는 요청을 받았어요. 링크는 30분 안에 한 번 쓸 수 있어요.

        새 비밀번호 정하기:
        {link}

        직접 요청하지 않았다면 아무것도 하지 않아도 돼요. 비밀번호는 바뀌지 않아요.
        """),
    passwordResetByOperator: Letter(
      subject: "{name}: 새 비밀번호 정하기",
      body: """
        {name} 운영자가 계정의 비밀번호를 새로 정해 달라고 부탁했어요. 링크는 30분 안에 한 번 쓸 수 있어요.

        새 비밀번호 정하기:
        {link}

        아무것도 하지 않으면 비밀번호는 바뀌지 않아요.
        """),
    confirmation: Letter(
      subject: "{name}: 이메일 주소 확인하기",
      body: """
        이 주소로 {name} 계정이 만들어졌어요. 직접 만들었다면 계정의 비밀번호를 입력해서 주소를 확인해 주세요.

        이메일 주소 확인하기:
        {link}

        직접 만들지 않았다면 이 메일을 무시해 주세요. 확인하지 않은 계정은 얼마 뒤에 지워져요.
        """),
    invitation: Letter(
      subject: "{name}: 초대받았어요",
      body: """
        {invitation}. 초대는 {until} UTC까지 쓸 수 있어요.

        초대 열기:
        {link}

        누가 보냈는지 모르겠다면 이 메일을 무시해 주세요. 아무 일도 일어나지 않아요.
        """),
    approvalNeeded: Letter(
      subject: "{name}: 새 계정이 승인을 기다려요",
      body: """
        새 계정이 승인을 기다리고 있어요. 'madang admin users pending' 명령으로 기다리는 계정을 모두 볼 수 있어요. 이 메일은 한 \
        시간에 한 번까지만 보내요.
        """),
    accountApproved: Letter(
      subject: "{name}: 계정이 승인됐어요",
      body: "{name} 계정이 승인됐어요. 이제 워크스페이스를 만들거나 초대를 받을 수 있어요."),
    newSignIn: Letter(
      subject: "{name}: 새로운 곳에서 로그인했어요",
      body: """
        새로운 곳에서, 또는 비밀번호를 바꾼 뒤 처음으로 {name} 계정에 로그인했어요.

        시각: {time} UTC
        네트워크: {network}
        기기: {device}

        본인이 로그인했다면 아무것도 하지 않아도 돼요. 본인이 아니라면 새 비밀번호를 정해 주세요. 모든 기기에서 로그아웃돼요.

        새 비밀번호 정하기:
        {link}
        """),
    newSignInByProvider: Letter(
      subject: "{name}: 새로운 곳에서 로그인했어요",
      body: """
        새로운 곳에서, 또는 비밀번호를 바꾼 뒤 처음으로 {name} 계정에 로그인했어요.

        시각: {time} UTC
        네트워크: {network}
        기기: {device}

        본인이 로그인했다면 아무것도 하지 않아도 돼요. 본인이 아니라면 {provider} 계정에서 앱 연결을 끊고 {name} 운영자에게 \
        알려 주세요.
        """),
    toAccount: "이 주소로 만든 {name} 계정이 있어서 보내는 메일이에요.",
    toOperator: "{name} 운영자가 이 주소를 등록해서 보내는 메일이에요.",
    invited: InvitedSentences(
      toServer: "{name}에 초대받았어요", toWorkspace: "{name}의 “{workspace}” 워크스페이스에 초대받았어요",
      toServerBy: "{inviter} 님이 {name}에 초대했어요",
      toWorkspaceBy: "{inviter} 님이 {name}의 “{workspace}” 워크스페이스에 초대했어요"),
    unknown: "알 수 없음",
    devices: [
      "an iPad": "iPad", "an iPhone": "iPhone", "an iPhone or iPad": "iPhone 또는 iPad",
      "an Android device": "Android 기기", "a Mac": "Mac", "a Windows computer": "Windows 컴퓨터",
      "a Linux computer": "Linux 컴퓨터", "an Apple device": "Apple 기기", "not known": "알 수 없음",
    ])
}
