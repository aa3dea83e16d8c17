/**
 * Reads a JSON array of objects element by element while it arrives, and stops early.
 * A history has no pages: this is how a page of it is read without keeping the rest.
 * @module
 */

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(element: object) => boolean|void} take returns false to stop
 * @returns {Promise<boolean>} whether the array was read to its end
 * @throws if the stream ends before the array does, or holds something else
 */
export async function readElements(stream, take) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // The part of the present element that arrived in earlier pieces.
  let held = "";
  let depth = 0, inString = false, escaped = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the array has no end");
      const text = decoder.decode(value, { stream: true });
      let start = 0;
      for (let at = 0; at < text.length; at++) {
        const letter = text.charCodeAt(at);
        if (inString) {
          if (escaped) escaped = false;
          else if (letter === 92) escaped = true; // backslash
          else if (letter === 34) inString = false;
          continue;
        }
        if (letter === 34) {
          inString = true;
        } else if (letter === 123 || letter === 91) { // { [
          depth++;
          if (depth === 1 && letter !== 91) throw new Error("not an array");
          if (depth === 2) start = at;
        } else if (letter === 125 || letter === 93) { // } ]
          depth--;
          if (depth === 0) return true;
          if (depth === 1) {
            const element = JSON.parse(held + text.slice(start, at + 1));
            held = "";
            if (take(element) === false) return false;
          }
        }
      }
      if (depth > 1) held += text.slice(start);
    }
  } finally {
    // The connection ends with the reading: what follows is not downloaded.
    reader.cancel().catch(() => {});
  }
}
