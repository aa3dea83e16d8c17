/**
 * The address of the open room: `#/workspace/room`. The browser's back button goes from a room to the list on a phone.
 * @module
 */

/** @param {import("./chat-state.js").Place} place @param {object|null} room */
export function roomAddress(place, room) {
  return room ? `#/${place.id}/${room.id}` : `#/${place.id}`;
}

/** What the address names. `invitation` comes from a link of an invitation: `#invitation=CODE`. */
export function readAddress() {
  const text = location.hash.slice(1);
  if (!text.startsWith("/")) {
    return { place: "", room: "", invitation: new URLSearchParams(text).get("invitation")?.slice(0, 200) ?? "" };
  }
  const [, place = "", room = ""] = text.split("/");
  return { place, room, invitation: "" };
}

/** Goes to an address after an act, unless the person has gone elsewhere since `before`. */
export function goFrom(before, address, replace = false) {
  if (location.hash === before) go(address, replace);
}

/** Goes to an address; `replace` leaves no step back. */
export function go(address, replace = false) {
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else if (location.hash === address) {
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = address;
  }
}
