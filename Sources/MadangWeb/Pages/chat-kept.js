/**
 * Chats that wait to be sent, stored in this browser so that they survive a reload. Files are stored with them.
 * Where a browser refuses to store, they wait in memory only.
 * @module
 */

const STORE = "outbox";
let opened = null;

function database() {
  opened ??= new Promise((done, fail) => {
    const request = indexedDB.open("madang", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  return opened;
}

async function run(mode, act) {
  try {
    const store = (await database()).transaction(STORE, mode).objectStore(STORE);
    return await new Promise((done, fail) => {
      const request = act(store);
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  } catch {
    return undefined;
  }
}

/** All stored entries of an account. */
export async function keptEntries(account) {
  return (await run("readonly", (store) => store.getAll()) ?? []).filter((entry) => entry.account === account);
}

/** Whether an entry is still stored: another tab may have sent it. */
export async function isKept(id) {
  return await run("readonly", (store) => store.getKey(id)) !== undefined;
}

export async function keepEntry(entry) {
  await run("readwrite", (store) => store.put(entry));
}

export async function forgetEntry(id) {
  await run("readwrite", (store) => store.delete(id));
}

/** Forgets all entries of an account, at sign-out. */
export async function forgetEntries(account) {
  for (const entry of await keptEntries(account)) await forgetEntry(entry.id);
}
