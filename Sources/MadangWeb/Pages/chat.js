/**
 * The chat in the browser: begins the session, then the page.
 * @module
 */

import { get, readSession, whenReadOnly, whenSessionEnds } from "./chat-calls.js";
import { h, toast } from "./elements.js";
import { checkSession, exploreChannels, loadLater, newWorkspace, openFind, openProfile, openRoom, openWorkspace, startKeys, startNotices, startRounds } from "./chat-later.js";
import { rail, rooms } from "./chat-list.js";
import { startLive } from "./chat-live.js";
import { startOutbox } from "./chat-outbox.js";
import { firstRoom, RoomPane } from "./chat-room.js";
import { go, readAddress, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { explain } from "./chat-trouble.js";
import { preferredLanguage, readSetting, t, useLanguage, writeSetting } from "./words.js";

const ground = document.getElementById("app");
let pane = null;

begin().catch((error) => {
  ground.className = "alone";
  ground.replaceChildren(h("main.card", null, h("h1", null, t("start.failed")), h("p.soft", null, explain(error)),
    h("button.button.main", { type: "button", onclick: () => location.reload() }, t("again"))));
});

async function begin() {
  whenReadOnly((on) => state.setReadOnly(on));
  // An account was signed in here before, and probably still is: both are asked for at once.
  const list = readSetting("known") ? get("/workspaces").catch(() => null) : null;
  const [known] = await Promise.all([readSession(), useLanguage(preferredLanguage())]);
  let current = known;
  let workspaces = null;
  if (current.account) {
    workspaces = await list;
  } else {
    const { showSignIn } = await import("./chat-signin.js");
    current = await showSignIn(ground, known.server, readAddress().invitation);
    if (readAddress().invitation) go("#", true);
  }
  performance.mark("madang-signed-in");
  state.begin(current);
  state.marks.keep();
  writeSetting("known", "yes");
  whenSessionEnds(current.account.user_id, checkSession);
  await state.readPlaces(workspaces);
  draw();
  addEventListener("hashchange", () => open().catch((error) => toast(explain(error))));
  await open();
  startLive();
  startOutbox();
  // What the first view does not need must not delay it.
  if (readAddress().room) await Promise.race([firstRoom, new Promise((done) => setTimeout(done, 1000))]);
  startNotices();
  startRounds(open);
  startKeys({
    find: () => openFind(), profile: () => openProfile(), room: () => openRoom(),
    compose: () => { pane.talk.toNewest(); pane.composer.input.focus(); },
  });
  loadLater();
}

function draw() {
  const does = {
    newWorkspace: () => newWorkspace(), profile: () => openProfile(), workspace: () => openWorkspace(),
    find: () => openFind(), explore: () => exploreChannels(), newPerson: () => openFind({ people: true }),
  };
  pane = new RoomPane();
  ground.className = "home";
  ground.replaceChildren(
    h("a.skip", { href: "#composer", onclick: (event) => { event.preventDefault(); pane.composer.input.focus(); } }, t("skip")),
    rail(does), h("main", null, rooms(does), pane.element));
  followKeyboard();
  const narrow = matchMedia(NARROW);
  narrow.addEventListener("change", paneChanged);
}

/** Width below which the list and the room take turns: as in chat.css. */
const NARROW = "(max-width: 760px)";

/** Opens what the address names; without a room, on a wide page, the room that was open last. */
async function open() {
  const address = location.hash;
  const { place: wantedPlace, room: wantedRoom } = readAddress();
  const place = state.placeOf(wantedPlace) ?? state.placeOf(readSetting(`place.${state.account.user_id}`)) ?? state.places[0] ?? null;
  if (!place) {
    state.open(null, null);
    return paneChanged();
  }
  writeSetting(`place.${state.account.user_id}`, place.id);
  if (place !== state.place && !place.loaded) state.open(place, null);
  if (!place.loaded) {
    try {
      await state.readPlace(place);
    } catch (error) {
      if (location.hash === address && !place.loaded) {
        // The workspace may be gone; the list tells.
        await state.readPlaces();
        if (state.placeOf(place.id)) throw error;
        return open();
      }
    }
    // Something else was chosen meanwhile.
    if (location.hash !== address) return;
  }
  let room = state.roomOf(place, wantedRoom);
  if (!room && !wantedRoom && !matchMedia(NARROW).matches) {
    room = state.roomOf(place, readSetting(`room.${place.id}`)) ?? place.joined[0] ?? place.direct[0] ?? null;
    if (room) return go(roomAddress(place, room), true);
  }
  if (room) writeSetting(`room.${place.id}`, room.id);
  state.open(place, room);
  if (!room) pane.showNone(wantedRoom ? place.channels.find((one) => one.channel_id === wantedRoom) : null);
  paneChanged();
  if (room) pane.composer.focus();
}

/** On a narrow page the list or the room is seen; the other cannot be reached. */
function paneChanged() {
  const narrow = matchMedia(NARROW).matches;
  const inRoom = Boolean(readAddress().room);
  const bare = !state.place;
  document.documentElement.dataset.pane = bare ? "bare" : inRoom ? "room" : "list";
  for (const element of ground.querySelectorAll("nav")) element.inert = narrow && inRoom && !bare;
  pane.element.inert = narrow && !inRoom && !bare;
  if (narrow && inRoom) pane.title.focus({ preventScroll: true });
}

/** On iPhones the keyboard covers the page instead of making it smaller. */
function followKeyboard() {
  const view = window.visualViewport;
  if (!view || !/iPhone|iPad/.test(navigator.userAgent)) return;
  const fit = () => {
    document.documentElement.style.setProperty("--height", `${view.height}px`);
    scrollTo(0, 0);
  };
  view.addEventListener("resize", fit);
}
