// 콘솔의 한국어 문구. console.text.en.js와 키가 같아요.
export default {
  "brand": "마당 콘솔", "brand.console": "콘솔", "back": "뒤로", "cancel": "취소", "close": "닫기", "copied": "복사했어요.", "copy": "복사", "loading": "불러오는 중…", "menu": "메뉴", "skip": "본문으로 건너뛰기",
  "error.away": "서버가 응답하지 않아요.", "state.off": "연결이 끊겼어요",

  "nav.label": "페이지", "nav.test": "테스트", "nav.sent": "보낸 것", "nav.connect": "연결",
  "page.live": "실시간", "page.people": "사람", "page.sockets": "소켓", "page.worlds": "월드", "page.clock": "시계", "page.faults": "장애", "page.scripts": "스크립트", "page.seeds": "시드", "page.review": "점검",
  "page.coverage": "커버리지", "page.pushes": "푸시", "page.mails": "메일", "page.payments": "결제", "page.tokens": "소셜 토큰", "page.phone": "휴대폰 (QR)", "page.contract": "계약 문서",

  "top.development": "개발 모드", "top.hour": "+ 1시간", "top.reset": "초기화", "top.resetAsk": "이 월드를 초기화할까요?", "top.resetText": "사람, 채팅, 시계, 기록이 처음 상태로 돌아가고 모든 소켓이 닫혀요. 장애는 그대로 남아요.", "top.wasReset": "월드를 초기화했어요.",
  "world.choose": "월드", "world.server": "이 서버", "world.all": "모든 월드", "world.option": "월드 {name} · {seed}",

  "keys.title": "단축키", "keys.filter": "필터로 가기", "keys.move": "목록에서 움직이기", "keys.open": "행 열기", "keys.close": "닫기", "keys.end": "가장 새 행으로 가기", "keys.keys": "단축키 보기",

  "live.title": "실시간", "live.list": "요청, 소켓 패킷, 푸시, 메일, 결제", "live.filter": "필터", "live.quick": "자주 쓰는 필터", "live.errors": "거절", "live.sockets": "소켓", "live.all": "하트비트", "live.following": "따라가기",
  "live.new": { other: "새 행 {new}개" }, "live.count": { other: "{shown}행" }, "live.none": "맞는 행이 없어요", "live.noneWhy": "필터를 바꾸거나, 필터에서 Esc를 눌러 지우세요.",
  "live.empty": "아직 아무 일도 없어요", "live.emptyWhy": "앱을 이 월드의 주소로 연결하거나, ‘사람’ 페이지에서 글을 올려 보세요. 요청과 패킷, 푸시가 바로 여기 나타나요.",

  "row.fault": "장애: {kind} {status}", "row.lost": "응답 없음", "row.counted": { other: "{status} · {n}개" }, "row.socket": "소켓", "row.event": "이벤트", "row.push": "푸시", "row.mail": "메일", "row.payment": "결제", "row.faultTag": "장애",
  "row.sockets": "→ 소켓 {n}개", "row.delivered": "전달됨", "row.sent": "받음", "row.refused": "거절", "row.standin": "대역", "row.files": { other: "파일 {n}개" }, "row.won": "{won}원",
  "row.connection.opened": "열림 · {transport}", "row.connection.upgraded": "{transport}으로 전환", "row.connection.closed": "닫힘", "row.connection.refused": "거절됨",
  "row.packet.connect": "입장", "row.packet.disconnect": "퇴장", "row.packet.connectError": "입장 거절", "row.packet.ack": "확인 응답", "row.packet.event": "이벤트",
  "row.payment.recorded": "기록됨", "row.payment.credited": "적립됨", "row.payment.refused": "거절됨",

  "mark.reset": "{world}: 초기화됐거나 기록이 가득 차서 앞의 기록이 없어졌어요", "mark.faultOn": "{kind}: 켜짐", "mark.faultOff": "{kind}: 꺼짐",

  "open.label": "열린 행", "open.noAccount": "계정 없음", "open.world": "월드 {world}", "open.entry": "{n}번 기록", "open.acts": "할 수 있는 일", "open.curl": "curl로 복사", "open.again": "다시 보내기", "open.test": "테스트 만들기", "open.session": "이 소켓만", "open.person": "{who}만",
  "open.request": "요청", "open.answer": "응답", "open.noAnswer": "클라이언트가 응답을 받지 못했어요.", "open.written": "저장된 것", "open.reached": "받은 곳", "open.reachedNone": "받은 소켓이나 기기가 없어요.", "open.before": "바로 전", "open.cause": "원인", "open.payload": "내용", "open.text": "글",
  "open.same": { other: "같은 요청이 전에 {n}번 거절됐어요." }, "open.sent": "다시 보냈어요: {n}번 기록.", "open.dropped": "이 기록은 이미 지워졌어요.", "open.truncated": "앞부분만 남아 있어요.", "open.headers": { other: "헤더 {n}개 더" }, "open.binary": "({size}, 글이 아님)",
  "fact.direction": "방향", "fact.size": "크기", "fact.amount": "금액 (원)",

  "written.nothing": "없음: 거절된 요청은 아무것도 바꾸지 않아요.", "written.read": "없음: 읽기만 하는 요청이에요.", "written.joins": "없음. 다만 채널을 처음 읽으면 그 채널에 참여하게 돼요.", "written.leaves": "소속 하나가 끝났어요.", "written.signsOut": "세션이 끝났어요.", "written.token": "새 액세스 토큰.",
  "written.fault": "장애에 따라 달라요. ‘after’면 작업이 먼저 실행됐어요.", "written.chat": "채팅 {id} {where}", "written.files": { other: "그리고 파일 {n}개." }, "written.changed": "{operation}이 바꾸는 것: 응답을 보세요.",
  "written.signIn": "세션.", "written.signUp": "계정과 세션.", "written.createWorkspace": "워크스페이스와 기본 채널. 코인을 썼어요.", "written.createChannel": "채널. 요청한 사람이 소유자예요.", "written.setDeviceToken": "세션의 기기 토큰.", "written.invite": "소속.", "written.openDirectMessage": "방이 없었다면 방.", "written.validatePayment": "결제. 계정의 코인이 늘었어요.",

  "why.fault": "장애가 적용됐어요: {kind}.", "why.rule": "‘장애’ 페이지의 규칙 {rule}", "why.lost": "클라이언트가 응답을 받지 못했어요.", "why.lostText": "클라이언트가 먼저 연결을 닫았거나 장애가 연결을 끊었어요.", "why.namespace": "방 입장이 거절됐어요:", "why.contract": "계약 문서: {title}", "why.contractLinks": "계약 문서:",
  "why.notMember": "워크스페이스 {workspace}는 있지만 {who} 님은 멤버가 아니에요. 소유자인 {owner} 님이 추가할 수 있어요.", "why.notInRoom": "{workspace}의 {room} 채널은 있고 {who} 님도 워크스페이스 멤버지만, 채널에는 참여하지 않았어요. 대화 기록을 읽으면 참여하게 돼요.", "why.notOwner": "{place}의 소유자는 {owner} 님이에요.",
  "why.letIn": "{who} 님을 {place}에 넣기", "why.isIn": "이제 {who} 님이 {place}에 있어요.",
  "code.E01": "API 키가 없거나, 모르는 키이거나, 다른 판의 키예요", "code.E02": "토큰이 없거나, 잘못됐거나, 모르는 토큰이거나, 취소됐어요", "code.E03": "계정이 없거나 로그인에 실패했어요", "code.E04": "액세스 토큰이 아직 유효해요", "code.E05": "액세스 토큰이 만료됐어요", "code.E06": "리프레시 토큰이 만료됐어요", "code.E11": "요청이 올바르지 않아요", "code.E12": "이미 있어요",
  "code.E13": "그런 데이터가 없거나, 속해 있지 않아요", "code.E14": "소유자만 할 수 있어요", "code.E15": "소유자는 나가기 전에 넘겨줘야 해요", "code.E21": "코인이 모자라요", "code.E81": "모르는 결제이거나 이미 쓴 결제예요", "code.E82": "결제는 있지만 유효하지 않아요", "code.E97": "모르는 경로나 메서드예요", "code.E98": "요청이 너무 많아요", "code.E99": "서버에 예상하지 못한 문제가 생겼어요",

  "test.title": "테스트 만들기", "test.lead": "같은 요청을 새 월드에 보내고 같은 응답을 기대해요. id는 이름으로 찾아요.", "test.kind": "프레임워크",
  "contract.example": "예",

  "worlds.lead": "월드는 데이터베이스, 시계, id, 포트를 따로 가진 서버 하나예요. 테스트마다 월드를 쓰면 나란히 돌릴 수 있어요.", "worlds.none": "아직 월드가 없어요", "worlds.noneWhy": "월드는 몇 밀리초면 시작돼요. 위에서 사람과 채팅이 있는 월드를 만들어 보세요.", "worlds.seed": "시드", "worlds.name": "이름", "worlds.number": "번호", "worlds.numberHint": "번호가 같으면 id와 날짜가 같고, 시계는 멈춰 있어요.", "worlds.make": "월드 만들기",
  "worlds.made": "{name}: {url}", "worlds.current": "보는 중", "worlds.look": "보기", "worlds.chat": "채팅 열기", "worlds.reset": "초기화", "worlds.wasReset": "{name}: 초기화했어요.", "worlds.remove": "없애기", "worlds.removeAsk": "{name}: 없앨까요?", "worlds.removeText": "서버가 멈추고 데이터가 지워져요.", "worlds.removed": "{name}: 없앴어요.",
  "worlds.snapshot": "스냅숏 남기기", "worlds.snapshotName": "스냅숏 이름", "worlds.kept": "‘{name}’ 이름으로 남겼어요.", "worlds.restore": "되돌리기", "worlds.restored": "‘{name}’ 상태로 되돌렸어요.", "worlds.forget": "지우기", "worlds.forgotten": "‘{name}’ 스냅숏을 지웠어요.",
  "seed.courtyard": "사람 5명, 워크스페이스 2개, 채팅 71개", "seed.empty": "아직 아무도 없음", "seed.crowded": "사람 200명, 채팅 100,000개", "seed.edge": "긴 이름, 다른 문자, 지워진 것",

  "clock.lead": "월드의 날짜, 토큰, 제한, 재시도는 이 시계를 따라요. 시계가 뛰면 밀린 일이 바로 일어나요.", "clock.now": "월드의 시계", "clock.stop": "시계 멈추기", "clock.run": "시계 돌리기", "clock.stopped": "멈춤 · UTC", "clock.times": "실제 시간의 {n}배 · UTC", "clock.advance": "앞으로 보내기", "clock.set": "맞추기", "clock.date": "날짜와 시각", "clock.utc": "UTC 기준이에요. 지난 시각도 괜찮아요.", "clock.setIt": "맞추기", "clock.rate": "빠르기",
  "clock.step.1s": "1초", "clock.step.1m": "1분", "clock.step.1h": "1시간", "clock.step.1d": "1일", "clock.step.25h": "25시간", "clock.step.30d": "30일", "clock.why.1s": "재시도 한 번", "clock.why.1m": "요청 제한이 풀려요", "clock.why.1h": "메일의 링크가 오래돼요", "clock.why.1d": "내일", "clock.why.25h": "모든 액세스 토큰이 만료돼요", "clock.why.30d": "모든 리프레시 토큰이 만료돼요",

  "people.find": "사람 찾기", "people.choose": "사람을 고르세요", "people.chooseWhy": "그 사람에게 보이는 방을 보고, 앱 없이 그 사람으로 행동할 수 있어요.", "people.none": "아무도 없어요", "people.noneWhy": "‘courtyard’ 시드로 월드를 만들거나, 앱에서 가입해 보세요.", "people.chat": "{who} 님으로 채팅하기", "people.traffic": "통신 기록", "people.lead": "로그인, 제한, 장애 없이 행동해요. 그 결과는 평소처럼 소켓과 기기에 전해져요.",
  "people.rooms": "방", "people.notIn": "미참여", "people.chooseRoom": "방을 고르세요", "people.chooseRoomWhy": "마지막 채팅이 여기 나타나요.", "people.nowhere": "워크스페이스가 없어요", "people.nowhereWhy": "아래에서 워크스페이스에 넣을 수 있어요.", "people.joinFirst": "채널에 참여하면 채팅을 볼 수 있어요.", "people.silent": "아직 채팅이 없어요.", "people.write": "{who} 님으로 쓰기", "people.post": "올리기", "people.noFiles": "파일 없음", "people.files": { other: "사진 {n}장" }, "people.pictures": "사진",
  "people.where": "워크스페이스나 채널", "people.whereHint": "워크스페이스만 쓰면 소유자가 추가해요.", "people.join": "참여", "people.leave": "나가기", "people.joined": "{who} 님이 {where}에 참여했어요.", "people.leaveed": "{who} 님이 {where}에서 나갔어요.",

  "sockets.lead": "지금 열려 있는 연결이에요.", "sockets.who": "누구", "sockets.transport": "방식", "sockets.since": "시작", "sockets.rooms": "방", "sockets.waits": "대기", "sockets.none": "열린 소켓이 없어요", "sockets.noneWhy": "앱이 방을 열면 여기 나타나요.", "sockets.unknown": "이 서버는 소켓 목록을 알려 주지 않아요", "sockets.traffic": "통신 기록", "sockets.cut": "끊기", "sockets.wasCut": "연결을 끊었어요.",

  "faults.lead": "장애는 요청이나 패킷을 일부러 잘못되게 해요. 맞는 규칙 가운데 첫 번째가 적용돼요.", "faults.on": "켜진 장애", "faults.none": "없어요. 아래에서 고르세요.", "faults.allOff": "모두 끄기", "faults.areOff": "장애를 모두 껐어요.", "faults.off": "끄기", "faults.isOff": "{kind}: 껐어요.", "faults.isOn": "{kind}: 켰어요.", "faults.hits": "적용 기록", "faults.count": "{matched}번 중 {applied}번", "faults.everything": "모두", "faults.badge": "{n}개 켜짐", "faults.of.requests": "요청", "faults.of.sockets": "소켓", "faults.for": "대상", "faults.any": "모두", "faults.switchOn": "켜기",
  "effect.status": "정한 HTTP 상태로 응답해요.", "effect.expiredToken": "액세스 토큰이 만료된 것처럼 E05로 응답해요.", "effect.limited": "Retry-After와 함께 E98로 응답해요.", "effect.latency": "응답이 늦게 와요.", "effect.answerLost": "작업은 되지만 응답이 오지 않아요.", "effect.cut": "응답 도중에 연결이 끊겨요.", "effect.malformedJSON": "JSON의 마지막 바이트가 없어요.", "effect.contentType": "다른 콘텐츠 타입으로 와요.", "effect.drip": "응답이 조금씩 와요.", "effect.reset": "TCP 연결이 재설정돼요.", "effect.restart": "모든 연결이 끝나고, 얼마 동안 새 연결이 거절돼요.",
  "effect.refuseUpgrade": "WebSocket이 안 돼요. 폴링으로 남아요.", "effect.refuseNamespace": "방 입장이 거절돼요.", "effect.drop": "패킷 하나가 사라져요.", "effect.delay": "패킷이 늦게 와요.", "effect.duplicate": "패킷이 또 와요.", "effect.reorder": "패킷이 다음 패킷 뒤에 와요.", "effect.truncate": "패킷의 앞부분만 와요.", "effect.silence": "연결은 열려 있지만 아무것도 오가지 않아요.", "effect.noPong": "핑과 퐁이 없어요. 이벤트는 계속 와요.", "effect.close": "세션이 닫힘으로 끝나요.", "effect.disconnectNamespace": "서버가 방에서 내보내요.", "effect.resetSocket": "소켓의 TCP 연결이 재설정돼요.",

  "scripts.lead": "스크립트는 월드의 시계에 맞춰 사람들이 스스로 행동하게 해요.", "scripts.none": "스크립트가 없어요", "scripts.noneWhy": "아래 예를 추가하고 시작해 보세요.", "scripts.ready": "준비됨", "scripts.running": "실행 중", "scripts.ended": "끝남", "scripts.stopped": "멈춤", "scripts.start": "시작", "scripts.stop": "멈추기", "scripts.delete": "지우기", "scripts.deleted": "{name}: 지웠어요.", "scripts.runs": { other: "{runs}번 실행, {failed}번 실패" }, "scripts.failure": "{run}번째 실행: {error}", "scripts.new": "YAML이나 JSON 스크립트", "scripts.hint": "‘courtyard’ 시드에 맞아요. 이름이 같으면 바꿔 놓아요.", "scripts.add": "추가", "scripts.added": "추가했어요.",

  "seeds.lead": "시드는 월드의 처음 상태예요: 사람, 방, 채팅, 스크립트. 모든 비밀번호는 Passw0rd!예요.", "seeds.own": "내 시드 (YAML이나 JSON)", "seeds.hint": "잘못되면 몇 번째 줄인지 알려 줘요.", "seeds.make": "이 시드로 월드 만들기", "seeds.export": "지금 상태 내보내기", "seeds.exported": "지금 상태를 칸에 넣었어요.",

  "review.lead": "운영에서 문제가 될 앱의 습관을 기록에서 찾아요. 기기 하나씩 시험하세요.", "review.fine": "나쁜 습관을 찾지 못했어요", "review.fineWhy": "앱을 더 써 본 뒤 다시 보세요.", "review.nothing": "아직 볼 것이 없어요", "review.nothingWhy": "먼저 이 월드에서 앱을 써 보세요.", "review.count": { other: "요청 {n}개" }, "review.what": "발견", "review.rule": "계약", "review.cure": "대신", "review.calls": "기록:",
  "habit.missingHeader": "헤더가 빠졌어요", "habit.refreshStorm": "토큰 갱신이 몰려요", "habit.needlessRefresh": "필요 없는 갱신", "habit.polling": "같은 것을 자꾸 물어요", "habit.historyFromStart": "기록을 처음부터 읽어요", "habit.connectionsLeaked": "연결을 닫지 않아요", "habit.namespacesNotLeft": "방에서 나가지 않아요", "habit.sameUploadTwice": "같은 파일을 두 번 올려요", "habit.afterSignOut": "로그아웃한 토큰을 써요", "habit.answerNotAwaited": "응답을 기다리지 않아요", "habit.doubledPost": "같은 글을 두 번 올려요",

  "coverage.lead": "계약 가운데 무엇을 써 봤는지 보여요. 칸 하나가 작업 하나고, 작은 코드는 계약에 적힌 응답이에요.", "coverage.edition": "판", "coverage.show": "보기", "coverage.all": "모든 작업", "coverage.missing": "빠진 것", "coverage.clear": "다시 세기", "coverage.clearAsk": "처음부터 다시 셀까요?", "coverage.clearText": "이 월드의 수가 모두 0이 돼요.", "coverage.operations": "작업", "coverage.codes": "코드", "coverage.fields": "필드", "coverage.events": "이벤트", "coverage.flows": "흐름", "coverage.never": "없음", "coverage.seen": "나옴 ", "coverage.unseen": "안 나옴 ", "coverage.lacks": "{section}: {n}개를 써 보지 않았어요",

  "sent.choose": "목록에서 고르세요", "sent.chooseWhy": "이 컴퓨터 밖으로 나간 것은 없어요. 보냈을 것을 대역이 보관해요.",
  "mails.none": "메일이 없어요", "mails.noneWhy": "앱에서 새 비밀번호를 요청하면 메일이 여기 나타나요.", "mails.to": "받는 사람 {to}", "pushes.none": "푸시가 없어요", "pushes.noneWhy": "한 사람의 기기 토큰을 등록하고, 다른 사람으로 글을 올려 보세요.", "pushes.to": "{edition}판, 받는 기기",
  "payments.lead": "결제 서비스처럼 결제를 기록해요. 앱은 그 imp_uid를 서버에 보여 줘요.", "payments.amount": "금액 (원)", "payments.status": "상태", "payments.paid": "결제됨", "payments.ready": "준비됨", "payments.cancelled": "취소됨", "payments.failed": "실패", "payments.record": "기록하기", "payments.made": "기록했어요:", "payments.none": "결제가 없어요", "payments.noneWhy": "위에서 기록해 보세요.", "payments.when": "언제", "payments.what": "무엇", "payments.merchant": "merchant_uid", "payments.imp": "imp_uid", "payments.who": "누구", "payments.outcome": "결과",
  "tokens.lead": "카카오나 애플이 발급할 토큰이에요. 앱은 이것을 oauthToken이나 idToken으로 보내요.", "tokens.provider": "제공자", "tokens.subject": "대상", "tokens.subjectHint": "제공자에게 누구인지예요. 같으면 같은 계정이에요.", "tokens.email": "이메일", "tokens.nickname": "닉네임", "tokens.make": "토큰 만들기", "tokens.made": "토큰", "tokens.isMade": "아래에 토큰이 있어요.",

  "phone.lead": "같은 네트워크의 휴대폰으로 찍으면 주소와 API 키를 입력하지 않아도 돼요.", "phone.code": "{address} 주소와 키의 QR 코드", "phone.local": "다른 기기는 이 주소에 닿을 수 없어요.", "phone.localWhy": "이 컴퓨터만의 주소예요. 휴대폰에서 쓰려면 서버를 이렇게 시작하세요:", "phone.same": "휴대폰이 같은 네트워크에 있어야 해요.", "phone.address": "주소", "phone.text": "코드의 내용", "phone.how": "브라우저에서는 채팅이 열려요. 앱은 # 뒤에서 키와 판을 읽을 수 있고, 이 부분은 서버에 보내지지 않아요.",
};
