import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { setImmediate as setImmediate$1 } from "node:timers/promises";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { link, lstat, open, realpath, rename, unlink } from "node:fs/promises";
import { createHash, hash, randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";
import { hostname, tmpdir } from "node:os";
import { constants as constants$1 } from "node:buffer";
// ../core/src/errors.ts
const row = (status, exit, remedy) => ({
	status,
	exit,
	remedy
});
/**
* One table for every failure: HTTP status, exit code, remedy. The docs are generated from it.
* @example ERROR_CODES.not_found.status // 404
*/
const ERROR_CODES = {
	not_found: row(404, 4, "Check the id. `list` and `tasks` show what exists."),
	ambiguous_id: row(409, 5, "Add the task (and namespace): --task, --ns or ?task=&ns=."),
	unreadable: row(422, 6, "Look at the raw bytes. Other rows in the store are not affected."),
	locked: row(423, 7, "Unlock the store with its key, or wait until the other process closes it."),
	wrong_key: row(403, 8, "Try another key. Nothing was changed."),
	busy: row(503, 9, "Another process is using the store. Try again when it is idle."),
	head_moved: row(412, 10, "A newer checkpoint was saved after the preview. Check the new preview and confirm again."),
	changed: row(412, 11, "The checkpoint changed after it was shown. Reload and try again."),
	undo_conflict: row(409, 12, "Something was saved after that change, and undo would remove it too. Restore an older checkpoint instead."),
	plan_expired: row(410, 13, "Plans expire after 15 minutes. Make a new preview."),
	proof_failed: row(500, 14, "The store does not match the plan. See the receipt, and undo the change."),
	unsupported: row(422, 15, "This store does not support that. The message says why."),
	unsupported_version: row(422, 16, "A newer version wrote this store. Update Checkpoint Inspector."),
	invalid_input: row(400, 2, "Fix that value and try again."),
	read_only: row(403, 17, "Start without --read-only to allow changes."),
	unauthorised: row(401, 18, "Open the link that was printed when the inspector started."),
	forbidden_host: row(403, 19, "Open the page at the printed address, or allow this host with --allowed-host."),
	too_large: row(413, 20, "Send less, or request only a part."),
	port_in_use: row(409, 21, "Stop the other program or choose another port with --port."),
	no_store: row(404, 3, "Name a file or folder that contains checkpoints, or try --demo."),
	disk_full: row(507, 22, "Free some space and try again. Everything already stored is intact."),
	internal: row(500, 1, "This is a bug in the inspector. Nothing was changed unless there is a receipt for it.")
};
/**
* The one error class. `message` says what happened, `remedy` what to do.
* @example throw new InspectorError('not_found', 'No checkpoint "a" in task "t".', { data: { id: 'a' } })
*/
var InspectorError = class InspectorError extends Error {
	code;
	remedy;
	data;
	constructor(code, message, more = {}) {
		super(message, more.cause === void 0 ? void 0 : { cause: more.cause });
		this.name = "InspectorError";
		this.code = code;
		this.remedy = more.remedy ?? ERROR_CODES[code].remedy;
		this.data = more.data;
	}
	get status() {
		return ERROR_CODES[this.code].status;
	}
	get exitCode() {
		return ERROR_CODES[this.code].exit;
	}
	toWire() {
		return { error: {
			code: this.code,
			message: this.message,
			remedy: this.remedy,
			...this.data ? { data: this.data } : {}
		} };
	}
	/** True for errors of this class from any copy of the package. */
	static is(value) {
		return value instanceof Error && value.name === "InspectorError" && "code" in value;
	}
	/** Any thrown value as an InspectorError; unknown ones become `internal` with the cause kept. */
	static from(value) {
		if (InspectorError.is(value)) return value;
		const message = value instanceof Error ? value.message : String(value);
		return new InspectorError("internal", message, { cause: value });
	}
};
// ../core/src/ids.ts
const STORE_ID = /^[a-z0-9-]+$/;
/**
* Checks a store id. @throws InspectorError invalid_input
* @example storeId('prod-1')
*/
function storeId(text) {
	if (!STORE_ID.test(text)) throw new InspectorError("invalid_input", `"${text}" isn't a valid store id: only a-z, 0-9 and "-" are allowed.`);
	return text;
}
/** A store id made from any name; `taken` ids get a number appended. @example storeIdFrom('My DB.sqlite') // 'my-db-sqlite' */
function storeIdFrom(name, taken = () => false) {
	const base = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "") || "store";
	for (let n = 1;; n++) {
		const id = n === 1 ? base : `${base}-${n}`;
		if (!taken(id)) return storeId(id);
	}
}
/** Equal place in a store. */
function sameRef(a, b) {
	return a.task === b.task && (a.namespace ?? "") === (b.namespace ?? "") && a.id === b.id;
}
/** One string per ref, for maps; unambiguous for any characters. */
function refKey(ref) {
	return JSON.stringify([
		ref.task,
		ref.namespace ?? "",
		ref.id
	]);
}
/** The ref of a row of this task. */
function refIn(task, { namespace, id }) {
	return {
		task,
		...namespace ? { namespace } : {},
		id
	};
}
/** The refusal of a checkpoint that is missing. @example throw noCheckpoint({ task: 'run-1', id: 'cp-9' }) */
function noCheckpoint(ref) {
	return new InspectorError("not_found", `No checkpoint "${ref.id}" in task "${ref.task}".`, { data: { ...ref } });
}
// ../core/src/contract.ts
const MAX_LIMIT = 1e3;
// ../core/src/hash.ts
/** sha256 as lower-case hex, over the UTF-8 bytes of a text. Works in Node and in browsers on localhost or https. */
async function sha256Hex(data) {
	const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** A list for a plan: all are counted, the first 100 shown. */
function planList(items) {
	return {
		count: items.length,
		items: items.slice(0, 100)
	};
}
/** The lists of a plan that does nothing yet. */
function emptyPlanLists() {
	const none = {
		count: 0,
		items: []
	};
	return {
		writes: none,
		moves: none,
		removes: none,
		evicts: none,
		protected: none
	};
}
// ../core/src/compact.ts
/** The same object without keys whose value is `undefined`: absence is absence. */
function compact(values) {
	const kept = {};
	for (const name in values) if (values[name] !== void 0) kept[name] = values[name];
	return kept;
}
// ../core/src/page.ts
/** A page size of a query. @throws InspectorError invalid_input */
function pageLimit(limit) {
	if (limit === void 0) return 100;
	if (Number.isInteger(limit) && limit >= 1 && limit <= 1e3) return limit;
	throw new InspectorError("invalid_input", `A page can have 1 to ${MAX_LIMIT} items, not ${limit}.`, { data: { limit } });
}
/** An opaque cursor (base64url of UTF-8 JSON) for the position after which the next page begins. */
function encodeCursor(position) {
	const bytes = new TextEncoder().encode(JSON.stringify(position));
	const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
/** The position in a cursor. @throws InspectorError invalid_input when the parts are not of these types */
function decodeCursor(cursor, types) {
	const parts = readCursor(cursor);
	if (Array.isArray(parts) && parts.length === types.length && parts.every((part, at) => typeof part === types[at])) return parts;
	throw foreignCursor();
}
/** What a cursor holds; `undefined` for any other text. */
function readCursor(cursor) {
	try {
		const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return;
	}
}
function foreignCursor() {
	return new InspectorError("invalid_input", "This cursor isn't from this list.", { remedy: "Request the first page again, without a cursor." });
}
// ../core/src/json/node.ts
/** The value exactly as written. */
function sourceOf$1(text, node) {
	return text.slice(node.start, node.end);
}
/** A string unescaped, lone surrogates kept; for any other kind its source. @example stringOf('"a\\n"', node) // 'a\n' */
function stringOf(text, node) {
	return node.kind === "string" ? unquote(text, node.start, node.end) : sourceOf$1(text, node);
}
/** Unescapes the string token at `start`..`end`, which must be valid. */
function unquote(text, start, end) {
	const inner = text.slice(start + 1, end - 1);
	if (!inner.includes("\\")) return inner;
	const value = JSON.parse(text.slice(start, end));
	return String(value);
}
/** The member with this key; the last one wins, as in `JSON.parse`. */
function memberOf$1(object, key) {
	const { members } = object;
	for (let at = members.length - 1; at >= 0; at--) {
		const member = members[at];
		if (member?.key === key) return member;
	}
}
/**
* A string as a JSON token. Lone surrogates are escaped, so the token survives UTF-8; `ascii` escapes all
* that Python's default writer escapes.
* @example quoteJson('é', { ascii: true }) // '"\\u00e9"'
*/
function quoteJson(value, options = {}) {
	const quoted = JSON.stringify(value);
	if (options.ascii !== true) return quoted;
	return quoted.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
// ../core/src/json/scan.ts
const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const ESCAPES = new Set(Array.from("\"\\/bfnrt", (letter) => letter.charCodeAt(0)));
/** The error for a text that is not JSON. `offset` counts UTF-16 code units. */
function notJson$1(text, offset, expected) {
	return new InspectorError("unreadable", `Not JSON at offset ${offset}: expected ${expected}, found ${offset < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0)) : "the end"}.`, { data: { offset } });
}
/** First offset from `at` on that is not JSON white space. */
function skipSpace(text, at) {
	for (let i = at;; i++) {
		const code = text.charCodeAt(i);
		if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return i;
	}
}
/** End of the string token that begins at `start`. @throws InspectorError unreadable */
function scanString(text, start) {
	for (let i = start + 1; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code === QUOTE) return i + 1;
		if (code === BACKSLASH) i = scanEscape(text, i);
		else if (code < 32) throw notJson$1(text, i, "no bare control character in a string");
	}
	throw notJson$1(text, text.length, "a closing quote");
}
/** Last offset of the escape whose backslash is at `at`. */
function scanEscape(text, at) {
	if (ESCAPES.has(text.charCodeAt(at + 1))) return at + 1;
	if (text[at + 1] !== "u") throw notJson$1(text, at + 1, "an escape");
	for (let i = at + 2; i < at + 6; i++) if (!isHexDigit(text.charCodeAt(i))) throw notJson$1(text, i, "four hex digits");
	return at + 5;
}
function isHexDigit(code) {
	return isDigit(code) || code >= 65 && code <= 70 || code >= 97 && code <= 102;
}
function isDigit(code) {
	return code >= 48 && code <= 57;
}
/** End of the number token at `start`, `-Infinity` included. @throws InspectorError unreadable */
function scanNumber(text, start) {
	const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
	if (first > start && text[first] === "I") return scanWord(text, first, "Infinity");
	let at = text[first] === "0" ? first + 1 : scanDigits(text, first);
	if (text[at] === ".") at = scanDigits(text, at + 1);
	if (text[at] !== "e" && text[at] !== "E") return at;
	at++;
	if (text[at] === "+" || text[at] === "-") at++;
	return scanDigits(text, at);
}
function scanDigits(text, start) {
	let at = start;
	while (isDigit(text.charCodeAt(at))) at++;
	if (at === start) throw notJson$1(text, at, "a digit");
	return at;
}
/** End of the number or word at `start`, whose first character is `code`. @throws InspectorError unreadable */
function scanBare(text, start, code) {
	switch (code) {
		case 116: return scanWord(text, start, "true");
		case 102: return scanWord(text, start, "false");
		case 110: return scanWord(text, start, "null");
		case 78: return scanWord(text, start, "NaN");
		case 73: return scanWord(text, start, "Infinity");
		default:
			if (code !== MINUS && !isDigit(code)) throw notJson$1(text, start, "a value");
			return scanNumber(text, start);
	}
}
/** Of a scalar that begins with `code`. */
function scalarKind(code) {
	if (code === QUOTE) return "string";
	if (code === 116 || code === 102) return "boolean";
	return code === 110 ? "null" : "number";
}
/** End of `word`, which must be at `start`. @throws InspectorError unreadable */
function scanWord(text, start, word) {
	if (!text.startsWith(word, start)) throw notJson$1(text, start, "a value");
	return start + word.length;
}
// ../core/src/json/read.ts
/** From this many members on, a set finds duplicates faster than a look back. */
const SMALL_OBJECT = 8;
/** Held in a member until its value is read. */
const PENDING = {
	kind: "null",
	start: 0,
	end: 0
};
/**
* Reads a JSON text into nodes that point into it. As strict as `JSON.parse`, except that `NaN`, `Infinity`
* and `-Infinity` are numbers. Works at any depth; numbers and strings are not converted.
* @throws InspectorError unreadable, `data.offset` in UTF-16 code units
* @example parseJson('[1.0]') // { kind: 'array', start: 0, end: 5, items: [{ kind: 'number', start: 1, end: 4 }] }
*/
function parseJson(text) {
	return new Reader(text).document();
}
/** Reads values one after the other; open containers are on a stack of its own. */
var Reader = class {
	#text;
	#open = [];
	/** Keys of open objects that have outgrown a look back. */
	#keys = /* @__PURE__ */ new Map();
	#at = 0;
	constructor(text) {
		this.#text = text;
	}
	document() {
		this.#skip(0);
		for (;;) {
			const value = this.#value();
			const root = value && this.#attach(value);
			if (root) return root;
		}
	}
	#skip(by) {
		this.#at = skipSpace(this.#text, this.#at + by);
	}
	/** Reads a scalar or an empty container; opens any other one and returns nothing. */
	#value() {
		const start = this.#at;
		const code = this.#text.charCodeAt(start);
		if (code !== 123 && code !== 91) {
			const scalar = readScalar(this.#text, start, code);
			this.#at = scalar.end;
			return scalar;
		}
		this.#skip(1);
		const isEmpty = this.#text.charCodeAt(this.#at) === code + 2;
		if (isEmpty) this.#at++;
		const end = this.#at;
		if (code === 123) {
			const object = {
				kind: "object",
				start,
				end,
				members: []
			};
			if (isEmpty) return object;
			this.#open.push(object);
			this.#key(object);
		} else {
			const array = {
				kind: "array",
				start,
				end,
				items: []
			};
			if (isEmpty) return array;
			this.#open.push(array);
		}
	}
	/** Hangs `value` into its container and closes all that end here; the root once the document is complete. */
	#attach(first) {
		let value = first;
		for (;;) {
			this.#skip(0);
			const parent = this.#open[this.#open.length - 1];
			if (parent === void 0) {
				if (this.#at < this.#text.length) throw notJson$1(this.#text, this.#at, "the end");
				return value;
			}
			if (!this.#addTo(parent, value)) return void 0;
			parent.end = ++this.#at;
			this.#open.pop();
			value = parent;
		}
	}
	/** Adds `value`; true when the container ends at the next character, false when another value begins there. */
	#addTo(parent, value) {
		const code = this.#text.charCodeAt(this.#at);
		if (parent.kind === "array") {
			parent.items.push(value);
			if (code === 93) return true;
			if (code !== 44) throw notJson$1(this.#text, this.#at, "\",\" or \"]\"");
			this.#skip(1);
			return false;
		}
		const member = parent.members[parent.members.length - 1];
		if (member) member.value = value;
		if (code === 125) return true;
		if (code !== 44) throw notJson$1(this.#text, this.#at, "\",\" or \"}\"");
		this.#skip(1);
		this.#key(parent);
		return false;
	}
	/** Reads `"key":` into a new member of `object`. */
	#key(object) {
		const keyStart = this.#at;
		if (this.#text.charCodeAt(keyStart) !== 34) throw notJson$1(this.#text, keyStart, "a key in double quotes");
		const keyEnd = scanString(this.#text, keyStart);
		const key = unquote(this.#text, keyStart, keyEnd);
		const member = {
			key,
			keyStart,
			keyEnd,
			value: PENDING
		};
		if (this.#isKnown(object, key)) member.duplicate = true;
		object.members.push(member);
		this.#at = keyEnd;
		this.#skip(0);
		if (this.#text.charCodeAt(this.#at) !== 58) throw notJson$1(this.#text, this.#at, "\":\"");
		this.#skip(1);
	}
	#isKnown(object, key) {
		const { members } = object;
		if (members.length < SMALL_OBJECT) return hasKey(members, key);
		const known = this.#keys.get(object) ?? new Set(members.map((member) => member.key));
		if (members.length === SMALL_OBJECT) this.#keys.set(object, known);
		const isKnown = known.has(key);
		known.add(key);
		return isKnown;
	}
};
function hasKey(members, key) {
	for (const member of members) if (member.key === key) return true;
	return false;
}
function readScalar(text, start, code) {
	const end = code === 34 ? scanString(text, start) : scanBare(text, start, code);
	return {
		kind: scalarKind(code),
		start,
		end
	};
}
// ../core/src/json/path.ts
/** In a rule: any one key or index. */
const ANY = Symbol("any");
/** In a rule, last: everything below. */
const BELOW = Symbol("below");
const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const BARE_STEP = /\.([^.[\]"'*]+)/y;
const INDEX_STEP = /\[(0|[1-9][0-9]*)\]/y;
const ANY_STEP = /\.\*(?!\*)|\[\*\]/y;
/** @example formatPath(['a', 'x.y', 0]) // '$.a["x.y"][0]' */
function formatPath(path) {
	return path.reduce((text, step) => text + formatStep(step), "$");
}
/** One step of a path as text. */
function formatStep(step) {
	if (typeof step === "number") return `[${step}]`;
	return PLAIN_KEY.test(step) ? `.${step}` : `[${quoteJson(step)}]`;
}
/** The reverse of `formatPath`. @throws InspectorError invalid_input */
function parsePath(text) {
	return parseSteps(text).map((step) => {
		if (typeof step !== "symbol") return step;
		throw new InspectorError("invalid_input", `"${text}" is a rule, not a path: it contains "*".`);
	});
}
/** A path that may hold `.*`, `[*]` and a last `.**`. @throws InspectorError invalid_input */
function parseSteps(text) {
	if (!text.startsWith("$")) throw badPath(text, 0, "it must begin with \"$\"");
	const steps = [];
	let at = 1;
	while (at < text.length) {
		const { step, end } = readStep(text, at);
		steps.push(step);
		at = end;
	}
	return steps;
}
function readStep(text, at) {
	if (text.startsWith("[\"", at)) {
		const end = scanQuoted(text, at + 1);
		if (text[end] !== "]") throw badPath(text, end, "a \"]\" is missing");
		return {
			step: unquote(text, at + 1, end),
			end: end + 1
		};
	}
	const bare = matchAt(BARE_STEP, text, at);
	if (bare?.[1] !== void 0) return {
		step: bare[1],
		end: at + bare[0].length
	};
	const index = matchAt(INDEX_STEP, text, at);
	if (index) return {
		step: Number(index[1]),
		end: at + index[0].length
	};
	const any = matchAt(ANY_STEP, text, at);
	if (any) return {
		step: ANY,
		end: at + any[0].length
	};
	if (text.slice(at) === ".**") return {
		step: BELOW,
		end: text.length
	};
	throw badPath(text, at, "expected .key, [\"key\"], [0], .* or a last .**");
}
function scanQuoted(text, at) {
	try {
		return scanString(text, at);
	} catch (cause) {
		throw badPath(text, at, "the quoted key is not a JSON string", cause);
	}
}
function matchAt(pattern, text, at) {
	pattern.lastIndex = at;
	return pattern.exec(text) ?? void 0;
}
function badPath(text, offset, why, cause) {
	return new InspectorError("invalid_input", `"${text}" isn't a valid path: ${why} (offset ${offset}).`, {
		data: { offset },
		remedy: "Write a path like $.a[\"x.y\"][0].",
		cause
	});
}
// ../core/src/json/equal.ts
/**
* Equal as states: numbers by their text (1.0 is not 1), strings by code units after unescaping, white space and
* the order of different keys ignored, the n-th duplicate of a key against the n-th. Works at any depth.
* @throws InspectorError unreadable, unless the texts are identical
* @example equalJson('{"a":1,"b":2}', '{ "b": 2, "a": 1 }') // true
*/
function equalJson(textA, textB) {
	return textA === textB || equalNodes(textA, parseJson(textA), textB, parseJson(textB));
}
/** As `equalJson`, for one value of each text. */
function equalNodes(textA, rootA, textB, rootB) {
	if (sourceOf$1(textA, rootA) === sourceOf$1(textB, rootB)) return true;
	const pairs = [[rootA, rootB]];
	for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
		const [a, b] = pair;
		if (a.kind === "object" && b.kind === "object") {
			if (!pairMembers(a, b, pairs)) return false;
		} else if (a.kind === "array" && b.kind === "array") {
			if (!pairItems(a.items, b.items, pairs)) return false;
		} else if (a.kind !== b.kind || !equalScalars(textA, a, textB, b)) return false;
	}
	return true;
}
function equalScalars(textA, a, textB, b) {
	if (sourceOf$1(textA, a) === sourceOf$1(textB, b)) return true;
	return a.kind === "string" && stringOf(textA, a) === stringOf(textB, b);
}
function pairItems(a, b, pairs) {
	if (a.length !== b.length) return false;
	for (const [index, item] of a.entries()) {
		const other = b[index];
		if (other) pairs.push([item, other]);
	}
	return true;
}
function pairMembers(a, b, pairs) {
	if (a.members.length !== b.members.length) return false;
	const others = a.members.every((member, index) => b.members[index]?.key === member.key) ? void 0 : groupByKey(b);
	const used = /* @__PURE__ */ new Map();
	for (const [index, { key, value }] of a.members.entries()) {
		const nth = used.get(key) ?? 0;
		const other = others ? others.get(key)?.[nth] : b.members[index]?.value;
		if (other === void 0) return false;
		if (others) used.set(key, nth + 1);
		pairs.push([value, other]);
	}
	return true;
}
/** Every value of each key, in the text's order. */
function groupByKey(object) {
	const groups = /* @__PURE__ */ new Map();
	for (const { key, value } of object.members) {
		const group = groups.get(key);
		if (group) group.push(value);
		else groups.set(key, [value]);
	}
	return groups;
}
// ../core/src/json/part.ts
/** Parts of a big JSON text: a value, and the children of a container page by page. */
/** @param deepest how many steps of the path lead to something */
function notThere(path, deepest) {
	const there = formatPath(path.slice(0, deepest));
	return new InspectorError("not_found", `This state has no value at ${formatPath(path)}; ${there} is there.`, {
		data: { path: there },
		remedy: "Start at $ and open its children."
	});
}
// ../core/src/diff/document.ts
const SEEDS = {
	object: 1,
	array: 2,
	string: 3,
	number: 4,
	boolean: 5,
	null: 6
};
/** Another one in each process, so that nobody can prepare a state whose values all collide. */
const MULTIPLIER = Math.floor(Math.random() * 2147483647) | 1;
/** One side of a comparison. Hashes are kept per container, so that a deep state is walked once, not once per level. */
var Document = class {
	text;
	root;
	#hashes = /* @__PURE__ */ new Map();
	#multiplier;
	/** Both sides need the same odd `multiplier`. @throws InspectorError unreadable */
	constructor(text, multiplier = MULTIPLIER) {
		this.text = text;
		this.#multiplier = multiplier;
		this.root = parseJson(text);
	}
	source(node) {
		return sourceOf$1(this.text, node);
	}
	/** 32 bits; equal values have equal hashes, however they are spelled. Works at any depth. */
	hash(root) {
		const todo = [root];
		for (let node = todo.at(-1); node; node = todo.at(-1)) {
			const size = todo.length;
			if (!this.#isHashed(node)) {
				if (node.kind === "array") for (const item of node.items) this.#need(item, todo);
				if (node.kind === "object") for (const { value } of node.members) this.#need(value, todo);
				if (todo.length > size) continue;
				this.#hashes.set(node, this.#combine(node));
			}
			todo.pop();
		}
		return this.#known(root);
	}
	#need(node, todo) {
		if (!this.#isHashed(node)) todo.push(node);
	}
	#isHashed(node) {
		return isScalar(node) || this.#hashes.has(node);
	}
	#known(node) {
		return isScalar(node) ? this.#scalar(node) : this.#hashes.get(node) ?? 0;
	}
	#combine(node) {
		let hash = SEEDS[node.kind];
		if (node.kind === "array") for (const item of node.items) hash = Math.imul(hash, this.#multiplier) + this.#known(item);
		else if (node.kind === "object") for (const { key, value } of node.members) {
			const name = this.#hashText(key, 0, key.length, SEEDS.object);
			hash += mixed(Math.imul(name, this.#multiplier) + this.#known(value));
		}
		return mixed(hash);
	}
	#scalar(node) {
		const seed = SEEDS[node.kind];
		if (node.kind !== "string") return this.#hashText(this.text, node.start, node.end, seed);
		const value = stringOf(this.text, node);
		return this.#hashText(value, 0, value.length, seed);
	}
	#hashText(text, start, end, seed) {
		let hash = seed;
		for (let i = start; i < end; i++) hash = Math.imul(hash, this.#multiplier) + text.charCodeAt(i) | 0;
		return mixed(hash);
	}
};
/** Equal in the sense of `equalJson`; unequal values are nearly always told apart by their hashes. */
function equalIn(before, a, after, b) {
	if (a.kind !== b.kind) return false;
	if (before.source(a) === after.source(b)) return true;
	return before.hash(a) === after.hash(b) && equalNodes(before.text, a, after.text, b);
}
function isScalar(node) {
	return node.kind !== "object" && node.kind !== "array";
}
/** Spreads every bit over all others. */
function mixed(value) {
	let hash = value | 0;
	hash = Math.imul(hash ^ hash >>> 16, 2246822507);
	hash = Math.imul(hash ^ hash >>> 13, 3266489909);
	return (hash ^ hash >>> 16) >>> 0;
}
// ../core/src/diff/identity.ts
/** Where the identity of an array element may be, best first. LangChain messages carry it inside `kwargs`. */
const PLACES$1 = [
	"id",
	"_id",
	"key",
	"uuid",
	"stepId",
	"requestId",
	"checkpointId",
	"tool_call_id",
	"name",
	"kwargs.id"
];
const NESTED$1 = "kwargs";
/**
* The identity that most elements carry, if it is unique within each of the two arrays; ties go to the better name.
* Elements without it take no part. `mayUse` can refuse a place: an ignored id identifies nothing.
*/
function identify(before, after, mayUse) {
	const idsBefore = collect(before);
	const idsAfter = collect(after);
	let best;
	let most = 0;
	for (const place of PLACES$1) {
		const a = idsBefore.get(place);
		const b = idsAfter.get(place);
		if (!a?.count || !b?.count) continue;
		const count = a.count + b.count;
		if (count <= most || !a.isUnique || !b.isUnique || !mayUse(place.split("."))) continue;
		most = count;
		best = {
			before: a.ids,
			after: b.ids
		};
	}
	return best;
}
/** Every choice of `identify` for arrays of which these are only some elements. */
function possibleIdentities(before, after, mayUse) {
	const idsBefore = collect(before);
	const idsAfter = collect(after);
	return PLACES$1.flatMap((place) => {
		const a = idsBefore.get(place);
		const b = idsAfter.get(place);
		return a?.isUnique && b?.isUnique && a.count + b.count > 0 && mayUse(place.split(".")) ? [{
			before: a.ids,
			after: b.ids
		}] : [];
	});
}
function collect({ document, items }) {
	const columns = new Map(PLACES$1.map((place) => [place, emptyColumn(items.length)]));
	for (const [index, item] of items.entries()) {
		if (item.kind !== "object") continue;
		for (const { key, value } of item.members) {
			const column = columns.get(key);
			if (column) enter(column, index, idText(document, value));
			else if (key === NESTED$1 && value.kind === "object") {
				const nested = columns.get("kwargs.id");
				if (nested) enter(nested, index, idText(document, idOf(value)));
			}
		}
	}
	return columns;
}
function emptyColumn(length) {
	return {
		ids: Array.from({ length }, () => void 0),
		seen: /* @__PURE__ */ new Set(),
		count: 0,
		isUnique: true
	};
}
function idOf(object) {
	return memberOf$1(object, "id")?.value;
}
function idText({ text }, node) {
	if (node?.kind !== "string" && node?.kind !== "number") return void 0;
	const id = stringOf(text, node);
	return id === "" ? void 0 : `${node.kind} ${id}`;
}
function enter(column, index, id) {
	if (id === void 0) return;
	if (column.seen.has(id) || column.ids[index] !== void 0) column.isUnique = false;
	column.seen.add(id);
	column.ids[index] = id;
	column.count++;
}
// ../core/src/diff/sequence.ts
/** Indices of one longest increasing subsequence, ascending. O(n log n). */
function longestIncreasing(values) {
	const tails = [];
	const previous = new Int32Array(values.length);
	for (const [index, value] of values.entries()) {
		let low = 0;
		let high = tails.length;
		while (low < high) {
			const middle = low + high >> 1;
			if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
			else high = middle;
		}
		previous[index] = low > 0 ? tails[low - 1] ?? -1 : -1;
		tails[low] = index;
	}
	const picked = [];
	for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) picked.push(at);
	return picked.reverse();
}
/**
* A longest common subsequence as pairs of indices, ascending; `undefined` when more than `limit` insertions and
* deletions would be needed. Time O((n + m) d), memory O(d²). After Myers, "An O(ND) Difference Algorithm" (1986).
* @example commonSubsequence([1, 2, 3], [2, 3, 4], 10) // [[1, 0], [2, 1]]
*/
function commonSubsequence(a, b, limit) {
	const most = Math.min(limit, a.length + b.length);
	const reach = new Int32Array(2 * most + 3);
	const middle = most + 1;
	const trace = [];
	for (let d = 0; d <= most; d++) {
		trace.push(reach.slice(middle - d - 1, middle + d + 2));
		for (let k = -d; k <= d; k += 2) {
			let x = stepFrom(reach, middle, k, d);
			while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
			reach[middle + k] = x;
			if (x >= a.length && x - k >= b.length) return backtrack(trace, a.length, b.length);
		}
	}
}
/** Furthest x on diagonal `k` after one more deletion (from k - 1) or insertion (from k + 1). */
function stepFrom(reach, middle, k, d) {
	const deleted = reach[middle + k - 1] ?? 0;
	const inserted = reach[middle + k + 1] ?? 0;
	return k === -d || k !== d && deleted < inserted ? inserted : deleted + 1;
}
function backtrack(trace, lengthA, lengthB) {
	const pairs = [];
	let x = lengthA;
	let y = lengthB;
	for (let d = trace.length - 1; d >= 0; d--) {
		const reach = trace[d] ?? /* @__PURE__ */ new Int32Array();
		const k = x - y;
		const deleted = reach[d + k] ?? 0;
		const inserted = reach[d + k + 2] ?? 0;
		const isInsert = k === -d || k !== d && deleted < inserted;
		const startX = d === 0 ? 0 : isInsert ? inserted : deleted + 1;
		while (x > startX) pairs.push([--x, --y]);
		if (isInsert) y--;
		else x--;
	}
	return pairs.reverse();
}
// ../core/src/diff/matching.ts
/** More edits than this are not worth an exact search: what stays is then chosen by order of occurrence. */
const EDIT_LIMIT = 1e3;
/** Which old element is which new one; grows while it is searched. */
var Matching = class {
	/** Old index per new one, -1 for none. */
	from;
	/** New index per old one, -1 for none. */
	to;
	/** New indices whose element left its place in the order. */
	moved = /* @__PURE__ */ new Set();
	constructor(countBefore, countAfter) {
		this.from = new Int32Array(countAfter).fill(-1);
		this.to = new Int32Array(countBefore).fill(-1);
	}
	pair(i, j) {
		this.to[i] = j;
		this.from[j] = i;
	}
	isSame({ from, moved }) {
		return from.every((i, j) => i === this.from[j] && moved.has(j) === this.moved.has(j));
	}
	/** Old indices without a partner, ascending. */
	removed() {
		return Array.from(this.to.keys()).filter((i) => this.to[i] === -1);
	}
	/** Between two elements that stayed, pairs the free ones of both sides in order: changed in place, not replaced. */
	pairGaps(isFreeBefore, isFreeAfter) {
		let i = 0;
		let j = 0;
		while (i < this.to.length && j < this.from.length) {
			const to = this.to[i] ?? -1;
			const from = this.from[j] ?? -1;
			const oldStays = to >= 0 && !this.moved.has(to);
			const newStays = from >= 0 && !this.moved.has(j);
			if (oldStays && newStays) {
				i++;
				j++;
			} else if (!oldStays && (to >= 0 || !isFreeBefore(i))) i++;
			else if (!newStays && (from >= 0 || !isFreeAfter(j))) j++;
			else if (oldStays) j++;
			else if (newStays) i++;
			else this.pair(i++, j++);
		}
	}
};
/** Pairs elements of the same class (a number per element); those outside a long common order are moved. */
function matchClasses(before, after, matching) {
	const inBefore = new Set(before);
	const inAfter = new Set(after);
	const sharedBefore = Array.from(before.keys()).filter((i) => inAfter.has(before[i] ?? -1));
	const sharedAfter = Array.from(after.keys()).filter((j) => inBefore.has(after[j] ?? -1));
	const stayed = inBefore.size === before.length && inAfter.size === after.length ? void 0 : commonOrder(before, sharedBefore, after, sharedAfter);
	for (const [i, j] of stayed ?? []) matching.pair(i, j);
	const rest = pairByOccurrence(sharedBefore.filter((i) => matching.to[i] === -1).map((index) => ({
		index,
		name: before[index] ?? -1
	})), sharedAfter.filter((j) => matching.from[j] === -1).map((index) => ({
		index,
		name: after[index] ?? -1
	})));
	for (const [i, j] of rest) matching.pair(i, j);
	const inOrder = new Set(stayed ? [] : longestIncreasing(rest.map(([, j]) => j)));
	for (const [index, [, j]] of rest.entries()) if (!inOrder.has(index)) matching.moved.add(j);
	keepFixed(matching);
}
/** What stays at its very place has not moved: where one counts as moved, the order is kept around all of these. */
function keepFixed(matching) {
	if (![...matching.moved].some((j) => matching.from[j] === j)) return;
	matching.moved.clear();
	let gap = [];
	let start = -1;
	const closeGap = (end) => {
		const inside = gap.filter((j) => isBetween(matching.from[j] ?? -1, start, end));
		const kept = new Set(longestIncreasing(inside.map((j) => matching.from[j] ?? -1)).map((at) => inside[at]));
		for (const j of gap) if (!kept.has(j)) matching.moved.add(j);
		gap = [];
		start = end;
	};
	for (const [j, from] of matching.from.entries()) if (from === j) closeGap(j);
	else if (from >= 0) gap.push(j);
	closeGap(Infinity);
}
function isBetween(value, start, end) {
	return value > start && value < end;
}
/** The longest common order of the named elements, if few enough are out of it. */
function commonOrder(before, indicesBefore, after, indicesAfter) {
	return commonSubsequence(indicesBefore.map((i) => before[i] ?? -1), indicesAfter.map((j) => after[j] ?? -1), EDIT_LIMIT)?.map(([x, y]) => [indicesBefore[x] ?? -1, indicesAfter[y] ?? -1]);
}
/** The n-th element of a class with the n-th on the other side, by old index. */
function pairByOccurrence(before, after) {
	const waiting = /* @__PURE__ */ new Map();
	for (const { index, name } of after.toReversed()) {
		const queue = waiting.get(name);
		if (queue) queue.push(index);
		else waiting.set(name, [index]);
	}
	return before.flatMap(({ index, name }) => {
		const partner = waiting.get(name)?.pop();
		return partner === void 0 ? [] : [[index, partner]];
	});
}
// ../core/src/diff/arrays.ts
/**
* Says which element became which: equal ends first, then by identity, then by equal value, then elements without
* identity by their order between two elements that stayed.
*/
function alignArrays(before, after, mayUse) {
	const head = equalHead(before, after);
	const tail = equalTail(before, after, head);
	const countBefore = before.items.length - tail - head;
	const countAfter = after.items.length - tail - head;
	const matching = new Matching(countBefore, countAfter);
	if (countBefore > 0 && countAfter > 0) matchMiddle(before, after, head, identify(before, after, mayUse), matching);
	const places = [];
	for (let to = 0; to < head; to++) places.push({
		to,
		from: to,
		equal: true
	});
	for (const [index, from] of matching.from.entries()) {
		const to = head + index;
		if (from < 0) places.push({ to });
		else places.push({
			to,
			from: head + from,
			...matching.moved.has(index) ? { moved: true } : {}
		});
	}
	const shift = countBefore - countAfter;
	for (let to = head + countAfter; to < after.items.length; to++) places.push({
		to,
		from: to + shift,
		equal: true
	});
	return {
		places,
		removed: matching.removed().map((index) => head + index)
	};
}
function equalHead(before, after) {
	const most = Math.min(before.items.length, after.items.length);
	let head = 0;
	while (head < most && isEqualAt(before, head, after, head)) head++;
	return head;
}
function equalTail(before, after, head) {
	const most = Math.min(before.items.length, after.items.length) - head;
	let tail = 0;
	while (tail < most && isEqualAt(before, before.items.length - 1 - tail, after, after.items.length - 1 - tail)) tail++;
	return tail;
}
function isEqualAt(before, i, after, j) {
	const a = before.items[i];
	const b = after.items[j];
	return a !== void 0 && b !== void 0 && equalIn(before.document, a, after.document, b);
}
/** Matches what is between the equal ends; indices of `matching` count from `head`. */
function matchMiddle(before, after, head, ids, matching) {
	const idBefore = (i) => ids?.before[head + i];
	const idAfter = (j) => ids?.after[head + j];
	const book = new ClassBook();
	matchClasses(Array.from(matching.to.keys(), (i) => book.classOf(before.document, before.items[head + i], idBefore(i))), Array.from(matching.from.keys(), (j) => book.classOf(after.document, after.items[head + j], idAfter(j))), matching);
	matching.pairGaps((i) => idBefore(i) === void 0, (j) => idAfter(j) === void 0);
}
/**
* True where the elements between the equal ends of two arrays match in one way only, whatever is at those ends: which
* identity counts depends on all elements, and these are not all.
*/
function matchesAlone(before, after, mayUse) {
	const [first, ...others] = [void 0, ...possibleIdentities(before, after, mayUse)].map((ids) => {
		const matching = new Matching(before.items.length, after.items.length);
		matchMiddle(before, after, 0, ids, matching);
		return matching;
	});
	return others.every((other) => first?.isSame(other));
}
/** Numbers for elements: the same number for the same identity, or for equal values where there is none. */
var ClassBook = class {
	#byId = /* @__PURE__ */ new Map();
	#byHash = /* @__PURE__ */ new Map();
	#count = 0;
	classOf(document, node, id) {
		if (id !== void 0) {
			const number = this.#byId.get(id) ?? this.#count++;
			this.#byId.set(id, number);
			return number;
		}
		if (node === void 0) return this.#count++;
		const hash = document.hash(node);
		const bucket = this.#byHash.get(hash) ?? [];
		const known = bucket.find((entry) => equalIn(entry.document, entry.node, document, node));
		if (known) return known.number;
		bucket.push({
			document,
			node,
			number: this.#count
		});
		this.#byHash.set(hash, bucket);
		return this.#count++;
	}
};
// ../core/src/diff/ignore.ts
/** Ignore rules, compiled; counts what they hide. */
var IgnoreRules = class {
	#rules;
	#counts;
	/** @throws InspectorError invalid_input for a rule that is not a path */
	constructor(rules) {
		this.#rules = rules.map((rule) => ({
			rule,
			steps: parseSteps(rule)
		}));
		this.#counts = rules.map(() => 0);
	}
	/** Whether a rule hides a difference at this path; the first one counts it. */
	hides(path) {
		const hit = this.#rules.findIndex(({ steps }) => matches(steps, path));
		if (hit >= 0) this.#counts[hit] = (this.#counts[hit] ?? 0) + 1;
		return hit >= 0;
	}
	/** As `hides`, without counting. */
	covers(path) {
		return this.#rules.some(({ steps }) => matches(steps, path));
	}
	counts() {
		return this.#rules.map(({ rule }, index) => ({
			rule,
			count: this.#counts[index] ?? 0
		}));
	}
};
function matches(steps, path) {
	const isOpen = steps.at(-1) === BELOW;
	const fixed = isOpen ? steps.length - 1 : steps.length;
	if (isOpen ? path.length <= fixed : path.length !== fixed) return false;
	for (let i = 0; i < fixed; i++) if (!matchesStep(steps[i], path[i])) return false;
	return true;
}
/** `*` is any one key or index; a key that ends with `*`, as in `$["branch:*"]`, is any key that begins so. */
function matchesStep(rule, step) {
	if (rule === ANY || rule === step) return true;
	if (typeof rule !== "string" || typeof step !== "string" || rule.length < 2) return false;
	return rule.endsWith("*") && step.startsWith(rule.slice(0, -1));
}
// ../core/src/diff/trail.ts
const ROOT$2 = {
	step: "$",
	depth: 0
};
function child(parent, name) {
	return {
		parent,
		step: name,
		depth: parent.depth + 1
	};
}
/** The old and the new trail one step further: one chain as long as they agree. */
function step(was, now, from, to) {
	const next = child(now, to);
	return {
		was: was === now && from === to ? next : child(was, from),
		now: next
	};
}
function pathOf(trail) {
	const path = [];
	for (let at = trail; at.parent; at = at.parent) path.push(at.step);
	return path.reverse();
}
function inWords({ kind, path, from, old, now }, before, after) {
	return {
		path: formatPath(path),
		kind,
		...old ? { before: before.source(old) } : {},
		...from ? { from: formatPath(from) } : {},
		...now ? { after: after.source(now) } : {}
	};
}
/** What differs between two states of which only some parts have been read; the others are known to be equal. */
var PartialDiff = class {
	#ignore;
	#items = [];
	constructor({ ignore = [] }) {
		this.#ignore = new IgnoreRules(ignore);
	}
	/** The texts of one part, each absent where its state has none there. */
	add(before, after, at) {
		const [old, now] = [new Document(before ?? "null"), new Document(after ?? "null")];
		const tell = (row) => void this.#items.push(inWords(row, old, now));
		const comparison = new Comparison(old, now, this.#ignore, tell, { counts: false });
		if (before === void 0) comparison.run({
			added: now.root,
			now: at.now
		});
		else if (after === void 0) comparison.run({
			removed: old.root,
			was: at.was
		});
		else comparison.run({
			...at,
			before: old.root,
			after: now.root
		});
	}
	/**
	* True where `add` says of these elements what it would say of the whole arrays: `before` and `after` are arrays of
	* all elements between their equal ends.
	*/
	isDecided(before, after, now) {
		const [old, own] = [elementsOf(before), elementsOf(after)];
		return matchesAlone(old, own, (identity) => !this.#ignore.covers([
			...pathOf(now),
			0,
			...identity
		]));
	}
	result() {
		return {
			items: this.#items,
			summary: summarise(this.#items),
			ignored: this.#ignore.counts()
		};
	}
};
function elementsOf(text) {
	const document = new Document(text);
	return {
		document,
		items: document.root.kind === "array" ? document.root.items : []
	};
}
function summarise(items) {
	const counts = {
		added: 0,
		removed: 0,
		changed: 0,
		moved: 0
	};
	for (const { kind } of items) counts[kind === "type-changed" ? "changed" : kind]++;
	return counts;
}
var Comparison = class {
	equal = 0;
	#before;
	#after;
	#ignore;
	#tell;
	/** Whether anybody wants to know how much is equal: counting walks all of it. */
	#counts;
	/** A stack, so that no depth overflows; the next task is the last. */
	#tasks = [];
	constructor(before, after, ignore, tell, { counts } = { counts: true }) {
		this.#before = before;
		this.#after = after;
		this.#ignore = ignore;
		this.#tell = tell;
		this.#counts = counts;
	}
	run(first = {
		before: this.#before.root,
		after: this.#after.root,
		was: ROOT$2,
		now: ROOT$2
	}) {
		this.#tasks.push(first);
		for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) if ("before" in task) this.#compare(task);
		else if ("added" in task) this.#row(task.now, {
			kind: "added",
			now: task.added
		});
		else if ("removed" in task) this.#row(task.was, {
			kind: "removed",
			old: task.removed
		});
		else this.#row(task.now, {
			kind: "moved",
			from: pathOf(task.was),
			now: task.moved
		});
	}
	#compare(pair) {
		const { before, after, now } = pair;
		if (this.#before.source(before) === this.#after.source(after)) this.#count(after);
		else if (before.kind !== after.kind) this.#row(now, {
			kind: "type-changed",
			old: before,
			now: after
		});
		else if (before.kind === "array" && after.kind === "array" && now.depth < 2e3) this.#compareArrays(pair, before, after);
		else if (this.#canCompareMembers(pair) && before.kind === "object" && after.kind === "object") this.#compareObjects(pair, before, after);
		else if (equalIn(this.#before, before, this.#after, after)) this.#count(after);
		else this.#row(now, {
			kind: "changed",
			old: before,
			now: after
		});
	}
	/** Not when values that only duplicate keys hide differ: no path can name them. */
	#canCompareMembers({ before, after, now }) {
		if (now.depth >= 2e3 || before.kind !== "object" || after.kind !== "object") return false;
		if (!hasDuplicate(before) && !hasDuplicate(after)) return true;
		const olds = groupByKey(before);
		const news = groupByKey(after);
		return [.../* @__PURE__ */ new Set([...olds.keys(), ...news.keys()])].every((key) => {
			const hiddenOld = olds.get(key)?.slice(0, -1) ?? [];
			const hiddenNew = news.get(key)?.slice(0, -1) ?? [];
			return hiddenOld.length === hiddenNew.length && hiddenOld.every((node, nth) => this.#isSame(node, hiddenNew[nth]));
		});
	}
	#isSame(before, after) {
		return after !== void 0 && equalIn(this.#before, before, this.#after, after);
	}
	#compareObjects({ was, now }, before, after) {
		const olds = new Map(before.members.map(({ key, value }) => [key, value]));
		const news = new Map(after.members.map(({ key, value }) => [key, value]));
		if (olds.size + news.size === 0) this.equal++;
		const tasks = [];
		for (const [key, value] of olds) {
			const other = news.get(key);
			if (other) tasks.push({
				before: value,
				after: other,
				...step(was, now, key, key)
			});
			else tasks.push({
				removed: value,
				was: child(was, key)
			});
		}
		for (const [key, value] of news) if (!olds.has(key)) tasks.push({
			added: value,
			now: child(now, key)
		});
		this.#doNext(tasks);
	}
	#compareArrays({ was, now, offset = 0 }, before, after) {
		const { places, removed } = alignArrays({
			document: this.#before,
			items: before.items
		}, {
			document: this.#after,
			items: after.items
		}, (identity) => !this.#ignore.covers([
			...pathOf(now),
			0,
			...identity
		]));
		if (before.items.length + after.items.length === 0) this.equal++;
		const tasks = [];
		const removals = removed.values();
		let gone = removals.next();
		const removeUpTo = (index) => {
			for (; !gone.done && gone.value < index; gone = removals.next()) {
				const value = before.items[gone.value];
				if (value) tasks.push({
					removed: value,
					was: child(was, offset + gone.value)
				});
			}
		};
		for (const { to, from, moved, equal } of places) {
			const value = after.items[to];
			const other = from === void 0 ? void 0 : before.items[from];
			if (value === void 0) continue;
			if (from === void 0 || other === void 0) {
				tasks.push({
					added: value,
					now: child(now, offset + to)
				});
				continue;
			}
			if (!moved) removeUpTo(from);
			if (equal) {
				this.#count(value);
				continue;
			}
			const trails = step(was, now, offset + from, offset + to);
			if (moved) tasks.push({
				moved: value,
				...trails
			});
			tasks.push({
				before: other,
				after: value,
				...trails
			});
		}
		removeUpTo(before.items.length);
		this.#doNext(tasks);
	}
	/** Puts tasks before all others, the first one first. */
	#doNext(tasks) {
		for (let i = tasks.length - 1; i >= 0; i--) {
			const task = tasks[i];
			if (task) this.#tasks.push(task);
		}
	}
	#count(equal) {
		if (this.#counts) this.equal += countLeaves(equal);
	}
	#row(trail, { kind, from, old, now }) {
		const path = pathOf(trail);
		if (!this.#ignore.hides(path)) this.#tell({
			kind,
			path,
			from,
			old,
			now
		});
	}
};
function hasDuplicate(object) {
	return object.members.some((member) => member.duplicate === true);
}
/** Scalars and empty containers below a value, or the value itself. */
function countLeaves(root) {
	let leaves = 0;
	const nodes = [root];
	for (let node = nodes.pop(); node; node = nodes.pop()) {
		const size = nodes.length;
		if (node.kind === "array") for (const item of node.items) nodes.push(item);
		if (node.kind === "object") for (const { value } of node.members) nodes.push(value);
		if (nodes.length === size) leaves++;
	}
	return leaves;
}
// ../core/src/edit/walk.ts
/** Every value of a document in the order of its text, at any depth. */
function* nodesOf(root) {
	const todo = [{
		node: root,
		at: ROOT$2
	}];
	for (let next = todo.pop(); next; next = todo.pop()) {
		const { node, at } = next;
		yield {
			node,
			path: () => pathOf(at)
		};
		if (node.kind === "object") for (const { key, value } of node.members.toReversed()) todo.push({
			node: value,
			at: child(at, key)
		});
		else if (node.kind === "array") for (let key = node.items.length - 1; key >= 0; key--) {
			const item = node.items[key];
			if (item) todo.push({
				node: item,
				at: child(at, key)
			});
		}
	}
}
// ../core/src/edit/text.ts
/** The largest state that an edit may save, in bytes of UTF-8: rooms read no larger document. */
const MAX_EDIT_BYTES = 33554432;
/**
* The text of an edit, checked: JSON that every byte of can be stored.
* @throws InspectorError invalid_input with data `{ offset, line, column }` (offset in UTF-16 code units, the others
* from 1) | too_large
*/
function readEdit(text, rules = {}) {
	const bytes = utf8Length$1(text);
	if (bytes > 33554432) throw new InspectorError("too_large", `The edited text is ${(bytes / 1024 / 1024).toFixed(1)} MiB; the limit is 32 MiB.`, {
		data: {
			bytes,
			limit: MAX_EDIT_BYTES
		},
		remedy: "Make the text smaller, or let the agent save the new state."
	});
	const root = parsed(text);
	if (!text.isWellFormed()) throw refused(text, loneSurrogate(text), "half of a surrogate pair, which cannot be saved in a file");
	const odd = rules.strictFor === void 0 ? void 0 : firstNonFinite(text, root);
	if (odd) throw refused(text, odd.start, `${sourceOf$1(text, odd)}, which ${rules.strictFor} cannot read`);
	return root;
}
/** Line and column of an offset, both from 1; the column counts UTF-16 code units. */
function placeOf$2(text, offset) {
	const before = text.slice(0, offset).split(/\r\n?|\n/);
	return {
		line: before.length,
		column: (before.at(-1) ?? "").length + 1
	};
}
/**
* What a person should know of an edit that is valid: it changes nothing, says a key twice, or names what the save
* sets itself.
* @param setBySave top-level members that the save replaces, such as the id and the time
*/
function editWarnings(before, after, setBySave = []) {
	const [old, root] = [parseJson(before), parseJson(after)];
	const warnings = [];
	if (equalNodes(before, old, after, root)) warnings.push({
		code: "unchanged",
		message: "The text means the same as the original, so the copy will not differ."
	});
	const twice = firstDuplicate(root);
	if (twice !== void 0 && firstDuplicate(old) === void 0) warnings.push({
		code: "duplicate_key",
		message: `${twice} appears twice in the text; the last one counts.`
	});
	const replaced = setBySave.filter((key) => !sameMember(before, old, after, root, key));
	if (replaced.length > 0) {
		const message = `Saving sets ${replaced.join(", ")}, so your values there will be replaced.`;
		warnings.push({
			code: "set_by_save",
			message
		});
	}
	return warnings;
}
function sameMember(before, old, after, root, key) {
	if (old.kind !== "object" || root.kind !== "object") return true;
	const [was, is] = [memberOf$1(old, key)?.value, memberOf$1(root, key)?.value];
	return was && is ? equalNodes(before, was, after, is) : was === is;
}
/** What a format's own description field can hold of an edit. @example 'Edited by Ann: wrong cache flag' */
function editWords({ reason, author }) {
	const who = author === void 0 || author.trim() === "" ? "Edited" : `Edited by ${author.trim()}`;
	return reason === void 0 || reason.trim() === "" ? who : `${who}: ${reason.trim()}`;
}
function parsed(text) {
	try {
		return parseJson(text);
	} catch (cause) {
		const { message, data } = InspectorError.from(cause);
		const offset = typeof data?.["offset"] === "number" ? data["offset"] : 0;
		const { line, column } = placeOf$2(text, offset);
		throw new InspectorError("invalid_input", `Invalid JSON at line ${line}, column ${column}: ${message.replace(/^Not JSON at offset \d+: /, "").replace(/\.$/, "")}.`, {
			cause,
			data: {
				offset,
				line,
				column
			},
			remedy: "Fix the text there. Nothing was changed."
		});
	}
}
function refused(text, offset, what) {
	const { line, column } = placeOf$2(text, offset);
	return new InspectorError("invalid_input", `Line ${line}, column ${column} contains ${what}.`, { data: {
		offset,
		line,
		column
	} });
}
function firstNonFinite(text, root) {
	for (const { node } of nodesOf(root)) if (node.kind === "number" && /^-?[NI]/.test(text.slice(node.start, node.start + 2))) return node;
}
function firstDuplicate(root) {
	for (const { node, path } of nodesOf(root)) {
		const twice = node.kind === "object" ? node.members.find((member) => member.duplicate) : void 0;
		if (twice) return formatPath([...path(), twice.key]);
	}
}
function loneSurrogate(text) {
	for (let at = 0; at < text.length; at++) {
		const point = text.codePointAt(at) ?? 0;
		if (point >= 55296 && point <= 57343) return at;
		if (point > 65535) at++;
	}
	return text.length;
}
function utf8Length$1(text) {
	return text.length * 3 <= 33554432 ? text.length : new TextEncoder().encode(text).length;
}
// ../core/src/nodes/types.ts
/**
* A state cut into nodes, which states share: what a step left alone is stored once. The body of a node is JSON text
* in which `\u001f12;` stands for the node 12; JSON text itself never contains that character.
*/
/** What the body of a node is. The numbers are stored. */
const KIND = {
	/** A value. */
	value: 0,
	/** Some entries of an array or an object, without its brackets. */
	entries: 1,
	/** `12:40 13:7`: the nodes whose entries follow each other, each with how many entries it has. */
	list: 2,
	/** A list that is the whole of an array. */
	array: 3,
	/** A list that is the whole of an object. */
	object: 4
};
/** A value that JavaScript would write otherwise, by its source: `1.0`, `"\u00e9"`, `NaN`, duplicate keys. */
var Exact = class {
	source;
	constructor(source) {
		this.source = source;
	}
};
/** A string or an exact value that is long enough for a node of its own. */
var Long = class {
	value;
	bytes;
	node;
	constructor(value, bytes, node) {
		this.value = value;
		this.bytes = bytes;
		this.node = node;
	}
};
/** An array or an object whose text is long; entries are never changed. */
var Container = class {
	/** Of an object; absent for an array. */
	keys;
	values;
	/** Of its compact text, as UTF-8. */
	bytes;
	/** Sum of the weights of its entries. */
	weight;
	/** Absent where it is written as a part of what it is in. */
	node;
	/** The lowest level first; empty where it is not cut. */
	levels;
	/** What it was last found to be made of, where that is declared never to change. */
	source;
	constructor(made) {
		this.keys = made.keys;
		this.values = made.values;
		this.bytes = made.bytes;
		this.weight = made.weight;
		this.node = made.node;
		this.levels = made.levels;
		this.source = made.source;
	}
};
/** Above this weight, and with so many entries, a container is cut. */
const CUT_FROM = {
	weight: 512,
	entries: 12
};
// ../core/src/nodes/input.ts
/** Members in the order of the text; JavaScript would put keys such as `"1"` in front. */
var Members = class {
	keys;
	values;
	constructor(keys, values) {
		this.keys = keys;
		this.values = values;
	}
};
/**
* A text as values, each of which writes itself again as it was.
* @throws InspectorError unreadable
* @example valuesOf('{"a":1.0}') // Members { keys: ['a'], values: [Exact { source: '1.0' }] }
*/
function valuesOf(text) {
	return new Reading(text).value(parseJson(text), 0);
}
/** `refs`: what is at an offset of the text instead of the value there. */
var Reading = class {
	#text;
	#refs;
	constructor(text, refs) {
		this.#text = text;
		this.#refs = refs;
	}
	value(node, depth) {
		const ref = this.#refs?.get(node.start);
		if (ref !== void 0) return ref;
		if (depth > 400) return this.#exact(node);
		if (node.kind === "array") return node.items.map((item) => this.value(item, depth + 1));
		if (node.kind !== "object") return this.#scalar(node);
		const { members } = node;
		const keys = members.map(({ key }) => key);
		if (!members.every(({ key, keyStart, keyEnd, duplicate }) => duplicate === void 0 && JSON.stringify(key) === this.#text.slice(keyStart, keyEnd))) return this.#exact(node);
		return new Members(keys, members.map(({ value }) => this.value(value, depth + 1)));
	}
	#scalar(node) {
		const source = sourceOf$1(this.#text, node);
		const value = isOwnWord(source) ? void 0 : JSON.parse(source);
		return value !== void 0 && JSON.stringify(value) === source ? value : new Exact(source);
	}
	#exact(node) {
		return new Exact(sourceOf$1(this.#text, node));
	}
};
/** Python writes them; `JSON.parse` knows none of them. */
const isOwnWord = (source) => source === "NaN" || source.endsWith("Infinity");
/** What `JSON.stringify` writes in place of a value; `undefined` where it writes nothing. */
function jsonValue(value, key) {
	if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
	const told = hasToJson(value) ? value.toJSON(String(key)) : value;
	const plain = isBoxed(told) ? told.valueOf() : told;
	if (typeof plain === "bigint") throw invalid$1("a BigInt, which JSON has no form for");
	if (typeof plain === "number") return Number.isFinite(plain) ? plain + 0 : null;
	return typeof plain === "function" || typeof plain === "symbol" ? void 0 : plain;
}
/** `Object('a')` and the like. */
function isBoxed(value) {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const made = Object.getPrototypeOf(value);
	if (made === Object.prototype || made === null) return false;
	return [
		String,
		Number,
		Boolean,
		BigInt
	].some((kind) => value instanceof kind);
}
function hasToJson(value) {
	return typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function";
}
function invalid$1(what, cause) {
	return new InspectorError("invalid_input", `The state contains ${what}.`, cause === void 0 ? {} : { cause });
}
// ../core/src/nodes/measure.ts
/** The compact text of a scalar. */
function scalarText(value) {
	return value instanceof Exact ? value.source : JSON.stringify(value);
}
/** Bytes of the compact text, as UTF-8. */
function bytesOf(value) {
	return value instanceof Container || value instanceof Long ? value.bytes : scalarBytes(value);
}
function scalarBytes(value) {
	if (typeof value === "string") return stringBytes(value);
	return value instanceof Exact ? utf8Length(value.source) : String(value).length;
}
/** Weight and bytes of all entries, from those of the container before: so many at either end are the same. */
function measured(made, old, prefix, suffix) {
	let weight = old?.weight ?? 0;
	let entryBytes = old === void 0 ? 0 : old.bytes - frameBytes(old.values.length);
	const count = ({ values, keys }, at, sign) => {
		const key = keys?.[at];
		const value = values[at] ?? null;
		weight += sign * (weightOf(value) + (key === void 0 ? 0 : keyWeight(key)));
		entryBytes += sign * (bytesOf(value) + (key === void 0 ? 0 : keyBytes(key)));
	};
	const isOld = (at) => made.values[at] === old?.values[at] && made.keys?.[at] === old?.keys?.[at];
	const isAligned = old?.values.length === made.values.length;
	for (let at = prefix; at < made.values.length - suffix; at++) if (!isAligned || !isOld(at)) count(made, at, 1);
	if (old === void 0) return {
		weight,
		entryBytes
	};
	for (let at = prefix; at < old.values.length - suffix; at++) if (!isAligned || !isOld(at)) count(old, at, -1);
	return {
		weight,
		entryBytes
	};
}
/** How much of the text of what it is in a value takes; by its contents alone, so that cuts depend on nothing else. */
function weightOf(value) {
	if (typeof value === "string") return value.length + 2;
	if (value instanceof Long) return 10;
	if (value instanceof Exact) return value.source.length;
	if (!(value instanceof Container)) return String(value).length;
	return value.node === void 0 ? inlineWeight(value.values.length, value.weight) : 10;
}
/** Of a container with its brackets and commas. */
const inlineWeight = (entries, weight) => weight + entries + 2;
/** A key with its quotes and colon. */
const keyWeight = (key) => key.length + 3;
const keyBytes = (key) => stringBytes(key) + 1;
/** Brackets and commas. */
const frameBytes = (entries) => 2 + Math.max(0, entries - 1);
/** Bytes of a string as `JSON.stringify` writes it: quotes, escapes, and halves of surrogate pairs as their numbers. */
function stringBytes(text) {
	let bytes = text.length + 2;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit >= 128) bytes += unit < 2048 ? 1 : isLone(text, at, unit) ? 5 : isHalf(unit) ? 1 : 2;
		else if (unit < 32) bytes += SHORT_ESCAPES.includes(unit) ? 1 : 5;
		else if (unit === 34 || unit === 92) bytes++;
	}
	return bytes;
}
/** Backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES = [
	8,
	9,
	10,
	12,
	13
];
const isHalf = (unit) => unit >= 55296 && unit <= 57343;
/** Half of a surrogate pair without the other half. */
function isLone(text, at, unit) {
	if (!isHalf(unit)) return false;
	const other = text.charCodeAt(unit < 56320 ? at + 1 : at - 1);
	return unit < 56320 ? !(other >= 56320 && other <= 57343) : !(other >= 55296 && other < 56320);
}
/** Bytes of a well-formed text as UTF-8. */
function utf8Length(text) {
	let bytes = text.length;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit < 128) continue;
		bytes += unit < 2048 || unit >= 55296 && unit <= 57343 ? 1 : 2;
	}
	return bytes;
}
// ../core/src/nodes/text.ts
const REF$1 = /\u001f(\d+);/g;
const COUNTED = /\u001f(\d+);:(\d+)/g;
/** The body of a node whose references have been written. */
function bodyOf({ pieces }) {
	return pieces.map((piece) => typeof piece === "string" ? piece : `\u001f${piece.id};`).join("");
}
/** The ids that a body refers to, in its order. */
function refsIn(body) {
	const refs = [];
	for (let at = body.indexOf(""); at >= 0; at = body.indexOf("", at + 1)) {
		const id = Number(body.slice(at + 1, body.indexOf(";", at)));
		if (Number.isSafeInteger(id)) refs.push(id);
	}
	return refs;
}
/** A body as valid JSON: each node is replaced by a zero, and `refs` has the node by the offset of that zero. */
function withoutRefs(body) {
	const refs = /* @__PURE__ */ new Map();
	let shift = 0;
	return {
		text: body.replace(REF$1, (ref, id, at) => {
			refs.set(at - shift, Number(id));
			shift += ref.length - 1;
			return "0";
		}),
		refs
	};
}
/**
* The text of a state. `bytes`: its length as stored, so that damaged nodes that contain themselves or each other many
* times over end where they say more than that.
* @throws InspectorError unreadable where a node is missing, or the nodes are no such text
*/
function textOf(nodes, root, bytes = Number.POSITIVE_INFINITY) {
	try {
		return new Assembling(nodes, bytes * 3 + 1e3).text(root);
	} catch (cause) {
		if (cause instanceof RangeError) throw endless(cause);
		throw cause;
	}
}
const endless = (cause) => new InspectorError("unreadable", "The parts of this state are more than its text.", { cause });
/** Pieces that are joined once: a text that is put together bit by bit is copied again and again. */
var Assembling = class {
	#nodes;
	#pieces = [];
	#left;
	constructor(nodes, left) {
		this.#nodes = nodes;
		this.#left = left;
	}
	text(root) {
		this.#add(root);
		return this.#pieces.join("");
	}
	#add(id) {
		const { kind, body } = nodeAt(this.#nodes, id);
		const isList = kind === KIND.array || kind === KIND.object || kind === KIND.list;
		this.#left -= 1 + (isList ? 0 : body.length);
		if (this.#left < 0) throw endless();
		if (!isList) return this.#addBody(body);
		if (kind !== KIND.list) this.#pieces.push(kind === KIND.array ? "[" : "{");
		for (const [at, ref] of refsIn(body).entries()) {
			if (at > 0) this.#pieces.push(",");
			this.#add(ref);
		}
		if (kind !== KIND.list) this.#pieces.push(kind === KIND.array ? "]" : "}");
	}
	#addBody(body) {
		let at = 0;
		for (let ref = body.indexOf(""); ref >= 0; ref = body.indexOf("", at)) {
			const end = body.indexOf(";", ref);
			if (ref > at) this.#pieces.push(body.slice(at, ref));
			this.#add(Number(body.slice(ref + 1, end)));
			at = end + 1;
		}
		this.#pieces.push(at === 0 ? body : body.slice(at));
	}
};
function nodeAt(nodes, id) {
	const node = nodes.get(id);
	if (node === void 0) throw new InspectorError("unreadable", `A part of this state is missing: node ${id}.`, { data: { node: id } });
	return node;
}
/** The state in memory as `share` left it, for the next one to be compared with. */
function sharedOf(nodes, root) {
	try {
		const reading = new Rebuilding(nodes);
		const value = reading.value(root);
		return {
			value,
			node: reading.node(root),
			bytes: bytesOf(value)
		};
	} catch (cause) {
		if (cause instanceof RangeError) throw endless(cause);
		throw cause;
	}
}
var Rebuilding = class {
	#nodes;
	#known = /* @__PURE__ */ new Map();
	constructor(nodes) {
		this.#nodes = nodes;
	}
	node(id) {
		const known = this.#known.get(id) ?? {
			id,
			hash: nodeAt(this.#nodes, id).hash
		};
		this.#known.set(id, known);
		return known;
	}
	value(id) {
		const { kind, body } = nodeAt(this.#nodes, id);
		if (kind === KIND.array || kind === KIND.object) return this.#cut(id, kind === KIND.object, body);
		return this.#inline(body, id);
	}
	#cut(id, isObject, body) {
		const levels = [];
		let groups = listed$1(body).map(([ref, count]) => this.#group(ref, count));
		for (;;) {
			levels.unshift(groups);
			const [first] = groups;
			if (first === void 0 || nodeAt(this.#nodes, first.node.id).kind === KIND.entries) break;
			groups = groups.flatMap(({ node }) => listed$1(nodeAt(this.#nodes, node.id).body).map(([ref, count]) => this.#group(ref, count)));
		}
		const parts = (levels[0] ?? []).map(({ node }) => this.#entries(node.id, isObject));
		return container(parts.flatMap((part) => part.values), isObject ? parts.flatMap((part) => part.keys ?? []) : void 0, this.node(id), levels);
	}
	#group(id, count) {
		const { kind, body } = nodeAt(this.#nodes, id);
		return {
			node: this.node(id),
			length: kind === KIND.entries ? count : listed$1(body).length,
			count
		};
	}
	#entries(id, isObject) {
		const { body } = nodeAt(this.#nodes, id);
		const value = this.#inline(isObject ? `{${body}}` : `[${body}]`);
		if (!(value instanceof Container)) throw new InspectorError("unreadable", `Node ${id} contains no entries.`);
		return value;
	}
	#inline(body, id) {
		const { text, refs } = withoutRefs(body);
		const read = new Reading(text, new Map(Array.from(refs, ([at, ref]) => [at, this.value(ref)]))).value(parseJson(text), 0);
		return this.#shared(read, id === void 0 ? void 0 : this.node(id));
	}
	/** `own`: the node whose whole body the value is. */
	#shared(read, own) {
		if (read instanceof Container || read instanceof Long) return read;
		if (typeof read === "string" || read instanceof Exact) {
			const text = scalarText(read);
			const length = typeof read === "string" ? read.length : text.length;
			return own !== void 0 && length >= 2048 ? new Long(read, utf8Length(text), own) : read;
		}
		if (read === null || typeof read === "number" || typeof read === "boolean") return read;
		if (Array.isArray(read)) return container(read.map((item) => this.#shared(item, void 0)), void 0, own, []);
		if (!(read instanceof Members)) throw new InspectorError("unreadable", "A node contains no JSON value.");
		return container(read.values.map((value) => this.#shared(value, void 0)), read.keys, own, []);
	}
};
const listed$1 = (body) => Array.from(body.matchAll(COUNTED), ([, id, count]) => [Number(id), Number(count)]);
function container(values, keys, node, levels) {
	let weight = 0;
	let bytes = frameBytes(values.length);
	for (const [at, value] of values.entries()) {
		const key = keys?.[at];
		weight += weightOf(value) + (key === void 0 ? 0 : keyWeight(key));
		bytes += bytesOf(value) + (key === void 0 ? 0 : keyBytes(key));
	}
	return new Container({
		values,
		keys,
		weight,
		bytes,
		node,
		levels,
		source: void 0
	});
}
// ../core/src/nodes/reading.ts
/** Reads stored nodes only as far as a question needs them, whoever fetches them. */
/**
* Answers a question where nodes are read at once.
* @example const diff = answerNodes(diffNodes(root, other), (ids) => readBodies(db, ids));
*/
function answerNodes(work, read) {
	for (let step = work.next();; step = work.next(read(step.value))) if (step.done) return step.value;
}
/** Thrown where a limit is reached; never leaves this folder. */
var TooMuch = class extends Error {};
/** The nodes that have been read so far. */
var NodeReader = class {
	#nodes = /* @__PURE__ */ new Map();
	#bodies = /* @__PURE__ */ new Map();
	#most;
	#left;
	constructor(limits) {
		this.#left = limits;
		this.#most = limits.characters;
	}
	*load(ids) {
		const missing = [...new Set(ids)].filter((id) => !this.#nodes.has(id));
		if (missing.length === 0) return;
		let { reads, characters } = this.#left;
		reads -= missing.length;
		if (reads < 0) throw new TooMuch();
		for (const [id, node] of yield missing) {
			this.#nodes.set(id, node);
			characters -= node.body.length;
		}
		this.#left = {
			reads,
			characters
		};
		if (characters < 0) throw new TooMuch();
	}
	/** @throws InspectorError unreadable (it is missing) */
	*node(id) {
		yield* this.load([id]);
		return nodeAt(this.#nodes, id);
	}
	*kindOf(slot) {
		if (!("id" in slot)) return slot.node.kind;
		const { kind, body } = yield* this.node(slot.id);
		if (kind === KIND.array) return "array";
		return kind === KIND.object ? "object" : this.#body(body).root.kind;
	}
	/** Where a value that is not cut is. */
	*inline(slot) {
		if (!("id" in slot)) return slot;
		const body = this.#body((yield* this.node(slot.id)).body);
		return {
			body,
			node: body.root
		};
	}
	/** The entries in a node, as a container. */
	*entries(id, kind) {
		const { kind: own, body: stored } = yield* this.node(id);
		if (own !== KIND.entries) throw new InspectorError("unreadable", `Node ${id} contains no entries.`);
		const body = this.#body(kind === "array" ? `[${stored}]` : `{${stored}}`);
		return {
			body,
			node: body.root
		};
	}
	/** True where both are stored in the same place or written in the same way; others may be equal, too. */
	isSame(a, b) {
		if (a === void 0 || b === void 0) return false;
		if ("id" in a || "id" in b) return "id" in a && "id" in b && a.id === b.id;
		return stored$1(a) === stored$1(b);
	}
	*text(slot) {
		const [text = ""] = yield* this.texts([slot]);
		return text;
	}
	*texts(slots) {
		yield* this.#loadAll(slots);
		return slots.map((slot) => "id" in slot ? this.#textOf(slot.id) : stored$1(slot).replace(REF$1, (_, id) => this.#textOf(Number(id))));
	}
	/** Few nodes may be a long text where they contain each other many times over. */
	#textOf(id) {
		try {
			return textOf(this.#nodes, id, this.#most);
		} catch (error) {
			if (InspectorError.is(error) && error.data === void 0) throw new TooMuch(void 0, { cause: error });
			throw error;
		}
	}
	/** All that they are made of, a level at a time. */
	*#loadAll(slots) {
		const seen = /* @__PURE__ */ new Set();
		let wanted = slots.flatMap((slot) => "id" in slot ? [slot.id] : refsIn(stored$1(slot)));
		while (wanted.length > 0) {
			yield* this.load(wanted);
			const next = /* @__PURE__ */ new Set();
			for (const id of wanted) {
				seen.add(id);
				for (const ref of refsIn(nodeAt(this.#nodes, id).body)) if (!seen.has(ref)) next.add(ref);
			}
			wanted = [...next];
		}
	}
	#body(text) {
		const known = this.#bodies.get(text);
		if (known) return known;
		const { text: json, refs } = withoutRefs(text);
		const body = {
			text: json,
			root: parseJson(json),
			refs
		};
		this.#bodies.set(text, body);
		return body;
	}
};
/** A value inside a body. */
function slotAt(body, node) {
	const id = body.refs.get(node.start);
	return id === void 0 ? {
		body,
		node
	} : { id };
}
/** As it is in its body, references included. */
function stored$1({ body, node }) {
	if (body.refs.size === 0) return body.text.slice(node.start, node.end);
	let text = "";
	let at = node.start;
	for (const [offset, id] of body.refs) {
		if (offset < node.start || offset >= node.end) continue;
		text += `${body.text.slice(at, offset)}\u001f${id};`;
		at = offset + 1;
	}
	return text + body.text.slice(at, node.end);
}
// ../core/src/nodes/entries.ts
/** The entries of a container, of which only those are read that somebody asks for. */
/** Lists in lists; only a damaged store has more. */
const MAX_HEIGHT = 40;
/** @returns undefined for a value that isn't a container */
function* entriesOf(reader, slot) {
	const kind = yield* reader.kindOf(slot);
	if (kind !== "array" && kind !== "object") return void 0;
	if ("id" in slot) {
		const node = yield* reader.node(slot.id);
		if (node.kind === KIND.array || node.kind === KIND.object) {
			const groups = listed$1(node.body);
			return {
				kind,
				count: countOf(groups),
				top: {
					groups,
					height: yield* heightOf(reader, groups)
				}
			};
		}
	}
	const top = yield* reader.inline(slot);
	return {
		kind,
		count: childrenIn(top).length,
		top
	};
}
const countOf = (groups) => groups.reduce((sum, [, count]) => sum + count, 0);
function* heightOf(reader, groups) {
	let [first] = groups;
	for (let height = 0; height < MAX_HEIGHT; height++) {
		if (first === void 0) return height;
		const { kind, body } = yield* reader.node(first[0]);
		if (kind === KIND.entries) return height;
		[first] = listed$1(body);
	}
	throw new InspectorError("unreadable", "The lists of this state never end.");
}
function childrenIn({ body, node }) {
	if (node.kind === "array") return node.items.map((item) => ({
		key: void 0,
		prefix: "",
		duplicate: false,
		slot: slotAt(body, item)
	}));
	if (node.kind !== "object") return [];
	return node.members.map(({ key, keyStart, keyEnd, value, duplicate = false }) => ({
		key,
		prefix: `${body.text.slice(keyStart, keyEnd)}:`,
		duplicate,
		slot: slotAt(body, value)
	}));
}
/** The entries from one place up to another, which is not one of them. */
function* entriesIn(reader, { kind, top }, from, to) {
	if ("body" in top) return childrenIn(top).slice(from, to);
	let { groups, height } = top;
	let start = 0;
	for (;; height--) {
		({groups, start} = within(groups, start, from, to));
		yield* reader.load(groups.map(([id]) => id));
		if (height === 0) break;
		groups = yield* childGroups(reader, groups);
	}
	const found = [];
	for (const group of groups) found.push(...yield* entriesOfGroup(reader, group, kind));
	return found.slice(Math.max(0, from - start), Math.max(0, to - start));
}
/** Those groups that have any of the entries. */
function within(groups, first, from, to) {
	const found = [];
	let start = first;
	let at = first;
	for (const group of groups) {
		const end = at + group[1];
		if (end <= from) start = end;
		else if (at < to) found.push(group);
		at = end;
	}
	return {
		groups: found,
		start
	};
}
function* childGroups(reader, groups) {
	yield* reader.load(groups.map(([id]) => id));
	const children = [];
	for (const [id, count] of groups) {
		const { kind, body } = yield* reader.node(id);
		const own = listed$1(body);
		if (kind !== KIND.list || countOf(own) !== count) throw damaged$1(id);
		children.push(...own);
	}
	return children;
}
function* entriesOfGroup(reader, [id, count], kind) {
	const entries = childrenIn(yield* reader.entries(id, kind));
	if (entries.length !== count) throw damaged$1(id);
	return entries;
}
const damaged$1 = (id) => new InspectorError("unreadable", `A part of this state is damaged: node ${id}.`, { data: { node: id } });
/** How many entries at either end are in the same nodes. */
function* sharedEnds$1(reader, before, after) {
	let head = 0;
	let tail = 0;
	if ("body" in before.top || "body" in after.top) return {
		head,
		tail
	};
	let [olds, news] = [before.top, after.top];
	for (;;) {
		const most = Math.min(olds.groups.length, news.groups.length);
		let first = 0;
		for (; first < most && olds.groups[first]?.[0] === news.groups[first]?.[0]; first++) head += olds.groups[first]?.[1] ?? 0;
		let last = 0;
		for (; last < most - first && olds.groups.at(-1 - last)?.[0] === news.groups.at(-1 - last)?.[0]; last++) tail += olds.groups.at(-1 - last)?.[1] ?? 0;
		const height = Math.max(olds.height, news.height);
		if (height === 0 || first + last === most) return {
			head,
			tail
		};
		olds = yield* lower(reader, olds, height, first, last);
		news = yield* lower(reader, news, height, first, last);
	}
}
/** Without what is shared at its ends; one level deeper where it has this height. */
function* lower(reader, { groups, height }, from, first, last) {
	const rest = groups.slice(first, groups.length - last);
	return height < from ? {
		groups: rest,
		height
	} : {
		groups: yield* childGroups(reader, rest),
		height: height - 1
	};
}
/** The members of two objects without those that are in the same nodes. */
function* differingMembers(reader, before, after) {
	if ("body" in before.top || "body" in after.top) return [yield* allOf(reader, before), yield* allOf(reader, after)];
	let [olds, news] = [before.top, after.top];
	for (;;) {
		const ids = new Set(olds.groups.map(([id]) => id));
		const shared = new Set(news.groups.flatMap(([id]) => ids.has(id) ? [id] : []));
		[olds, news] = [withoutGroups(olds, shared), withoutGroups(news, shared)];
		const height = Math.max(olds.height, news.height);
		if (height === 0) break;
		olds = yield* lower(reader, olds, height, 0, 0);
		news = yield* lower(reader, news, height, 0, 0);
	}
	const members = (level) => allOf(reader, {
		kind: "object",
		count: countOf(level.groups),
		top: level
	});
	return [yield* members(olds), yield* members(news)];
}
const allOf = (reader, entries) => entriesIn(reader, entries, 0, entries.count);
const withoutGroups = ({ groups, height }, shared) => ({
	groups: groups.filter(([id]) => !shared.has(id)),
	height
});
// ../core/src/nodes/diff.ts
/** Above these the texts are compared faster, and off the event loop. */
const DIFF_LIMITS = {
	reads: 2e3,
	characters: 4e6
};
/**
* What `diffJson` says of two stored states, without reading what they share.
* @returns undefined where so much differs that their texts are cheaper to compare
* @throws InspectorError unreadable (a node is missing) | invalid_input (an ignore rule)
* @example const diff = answerNodes(diffNodes(root, other), (ids) => readBodies(db, ids));
*/
function* diffNodes(before, after, options = {}, limits = DIFF_LIMITS) {
	const comparison = new NodeComparison(new NodeReader(limits), new PartialDiff(options));
	try {
		yield* comparison.run({
			before: { id: before },
			after: { id: after },
			was: ROOT$2,
			now: ROOT$2
		});
		return comparison.diff.result();
	} catch (error) {
		if (error instanceof TooMuch) return void 0;
		throw error;
	}
}
var NodeComparison = class {
	diff;
	#reader;
	constructor(reader, diff) {
		this.#reader = reader;
		this.diff = diff;
	}
	*run(first) {
		const pairs = [first];
		for (let pair = pairs.pop(); pair; pair = pairs.pop()) pairs.push(...(yield* this.#compare(pair)).toReversed());
	}
	/** Tells what differs; answers the pairs that come next. */
	*#compare(pair) {
		const { before, after, now } = pair;
		if (before && after && this.#reader.isSame(before, after)) return [];
		if (before && after && now.depth < 2e3) {
			yield* this.#reader.load([before, after].flatMap((slot) => "id" in slot ? [slot.id] : []));
			const olds = yield* entriesOf(this.#reader, before);
			const news = yield* entriesOf(this.#reader, after);
			if (olds?.kind === "object" && news?.kind === "object") return yield* this.#objects(olds, news, pair);
			if (olds?.kind === "array" && news?.kind === "array") return yield* this.#arrays(olds, news, pair);
		}
		return yield* this.#whole(pair);
	}
	*#whole(pair) {
		const { before, after } = pair;
		const old = before && (yield* this.#reader.text(before));
		this.diff.add(old, after && (yield* this.#reader.text(after)), pair);
		return [];
	}
	*#objects(before, after, pair) {
		const { was, now } = pair;
		const [oldMembers, newMembers] = yield* differingMembers(this.#reader, before, after);
		if ([...oldMembers, ...newMembers].some(({ duplicate }) => duplicate)) return yield* this.#whole(pair);
		const olds = byKey(oldMembers);
		const news = byKey(newMembers);
		const changed = [...olds].map(([key, slot]) => {
			const other = news.get(key);
			return other === void 0 ? {
				before: slot,
				after: void 0,
				was: child(was, key),
				now
			} : {
				before: slot,
				after: other,
				...step(was, now, key, key)
			};
		});
		const added = [...news].filter(([key]) => !olds.has(key));
		return [...changed, ...added.map(([key, slot]) => ({
			before: void 0,
			after: slot,
			was,
			now: child(now, key)
		}))];
	}
	*#arrays(before, after, place) {
		const near = yield* this.#sameEnds(before, after);
		const [old, ...others] = yield* this.#between(before, near);
		const [own, ...more] = yield* this.#between(after, near);
		if (old && own && others.length + more.length === 0 && (yield* this.#isOneChanged(old, own, place))) return [{
			before: old,
			after: own,
			...step(place.was, place.now, near.head, near.head)
		}];
		const ends = yield* this.#equalEnds(before, after, near);
		const oldText = yield* this.#arrayText(before, ends);
		const newText = yield* this.#arrayText(after, ends);
		const { head, tail } = ends;
		if (Math.min(before.count, after.count) === head + tail || head + tail === 0 || this.diff.isDecided(oldText, newText, place.now)) {
			this.diff.add(oldText, newText, {
				...place,
				offset: head
			});
			return [];
		}
		const all = {
			head: 0,
			tail: 0
		};
		this.diff.add(yield* this.#arrayText(before, all), yield* this.#arrayText(after, all), place);
		return [];
	}
	*#between(entries, { head, tail }) {
		return (yield* entriesIn(this.#reader, entries, head, entries.count - tail)).map(({ slot }) => slot);
	}
	*#arrayText(entries, ends) {
		const slots = yield* this.#between(entries, ends);
		return `[${(yield* this.#reader.texts(slots)).join(",")}]`;
	}
	/** Without looking into any element. */
	*#sameEnds(before, after) {
		const ends = yield* sharedEnds$1(this.#reader, before, after);
		const olds = yield* this.#between(before, ends);
		const news = yield* this.#between(after, ends);
		const most = Math.min(olds.length, news.length);
		let first = 0;
		while (first < most && this.#reader.isSame(olds[first], news[first])) first++;
		let last = 0;
		while (last < most - first && this.#reader.isSame(olds.at(-1 - last), news.at(-1 - last))) last++;
		return {
			head: ends.head + first,
			tail: ends.tail + last
		};
	}
	/** As many as the texts would have, the front first: elements can be equal in different nodes, and repeat. */
	*#equalEnds(before, after, near) {
		const most = Math.min(before.count, after.count);
		let { head } = near;
		while (head < most && (yield* this.#isEqual(before, head, after, head))) head++;
		let tail = Math.min(near.tail, most - head);
		while (tail < most - head && (yield* this.#isEqual(before, before.count - 1 - tail, after, after.count - 1 - tail))) tail++;
		return {
			head,
			tail
		};
	}
	*#isEqual(before, i, after, j) {
		const [old] = yield* entriesIn(this.#reader, before, i, i + 1);
		const [own] = yield* entriesIn(this.#reader, after, j, j + 1);
		if (!old || !own) return false;
		if (this.#reader.isSame(old.slot, own.slot)) return true;
		if ((yield* this.#reader.kindOf(old.slot)) !== (yield* this.#reader.kindOf(own.slot))) return false;
		const [a = "", b = ""] = yield* this.#reader.texts([old.slot, own.slot]);
		return equalJson(a, b);
	}
	/** True where one element of two arrays is not the same, and it is the changed one whatever identifies the others. */
	*#isOneChanged(before, after, { now }) {
		const kind = yield* this.#reader.kindOf(before);
		if (kind !== (yield* this.#reader.kindOf(after)) || kind !== "object" && kind !== "array") return false;
		const [a, b] = [yield* this.#identity(before), yield* this.#identity(after)];
		return a !== void 0 && b !== void 0 && this.diff.isDecided(`[${a}]`, `[${b}]`, now);
	}
	/** The element with nothing but what may identify it. */
	*#identity(slot, inside) {
		const members = [];
		for (const { key = "", duplicate, slot: value } of yield* this.#members(slot)) {
			if (duplicate) return void 0;
			if (PLACES$1.includes(key)) members.push(`${quoteJson(key)}:${yield* this.#scalarText(value)}`);
			if (key !== NESTED || inside) continue;
			const nested = yield* this.#identity(value, NESTED);
			if (nested === void 0) return void 0;
			members.push(`"${NESTED}":${nested}`);
		}
		return `{${members.join(",")}}`;
	}
	*#members(slot) {
		const entries = yield* entriesOf(this.#reader, slot);
		return entries?.kind === "object" ? yield* entriesIn(this.#reader, entries, 0, entries.count) : [];
	}
	/** A container identifies nothing, so it isn't read. */
	*#scalarText(slot) {
		const kind = yield* this.#reader.kindOf(slot);
		return kind === "object" || kind === "array" ? "null" : yield* this.#reader.text(slot);
	}
};
/** Where LangChain's messages carry their identity. */
const NESTED = "kwargs";
const byKey = (members) => new Map(members.map(({ key = "", slot }) => [key, slot]));
// ../core/src/nodes/part.ts
/** Above these the whole text is the cheaper way. */
const PART_LIMITS = {
	reads: 5e3,
	characters: 16e6
};
/**
* The value at a path of a stored state, or its members in a range, without reading the others: the counts in the
* nodes tell where a page of a list is.
* @returns undefined where the text is the cheaper way
* @throws InspectorError not_found, `data.path` is the deepest part that is there | unreadable (a node is missing)
* @example answerNodes(partOfNodes(root, ['messages'], { offset: 50, limit: 50 }), (ids) => readBodies(db, ids))
*/
function* partOfNodes(root, path, range, limits = PART_LIMITS) {
	const reader = new NodeReader(limits);
	try {
		let slot = { id: root };
		for (const [depth, step] of path.entries()) {
			const found = yield* childAt(reader, slot, step);
			if (found === void 0) throw notThere(path, depth);
			slot = found;
		}
		return yield* partOfSlot(reader, slot, range);
	} catch (error) {
		if (error instanceof TooMuch) return void 0;
		throw error;
	}
}
function* childAt(reader, slot, step) {
	const entries = yield* entriesOf(reader, slot);
	if (entries === void 0 || entries.kind === "array" !== (typeof step === "number")) return void 0;
	if (typeof step === "number") return (yield* entriesIn(reader, entries, step, step + 1))[0]?.slot;
	return (yield* entriesIn(reader, entries, 0, entries.count)).findLast(({ key }) => key === step)?.slot;
}
function* partOfSlot(reader, slot, range) {
	const entries = yield* entriesOf(reader, slot);
	const count = entries && { count: entries.count };
	if (entries === void 0 || range === void 0) return {
		text: yield* reader.text(slot),
		...count
	};
	const { offset, limit } = range;
	const found = yield* entriesIn(reader, entries, offset, offset + limit);
	const members = (yield* reader.texts(found.map((entry) => entry.slot))).map((text, at) => (found[at]?.prefix ?? "") + text).join(",");
	return {
		text: entries.kind === "array" ? `[${members}]` : `{${members}}`,
		...count
	};
}
// ../core/src/nodes/cut.ts
const MIN_WEIGHT = CUT_FROM.weight / 4;
const MAX_WEIGHT = CUT_FROM.weight * 2;
/** A cut comes after so much weight above the least, on average. */
const MEAN = CUT_FROM.weight - MIN_WEIGHT;
const MARKS = 2 ** 32;
/** Groups of entries that follow each other. Those of the state before are kept where their entries are the same. */
function cut(entries, before) {
	const groups = [];
	const shift = before === void 0 ? 0 : before.length - entries.length;
	let at = 0;
	if (before) for (const group of before.groups) {
		const end = at + group.length;
		if (end > before.prefix || end === before.length && shift !== 0) break;
		groups.push(group);
		at = end;
	}
	const starts = before && startsOf(before.groups, groups.length, at);
	while (at < entries.length) {
		const same = before && at >= entries.length - before.suffix ? starts?.get(at + shift) : void 0;
		if (before && same !== void 0) return groups.concat(before.groups.slice(same));
		const end = endOf(entries, at);
		groups.push(groupBefore(entries, at, end, before, starts) ?? entries.make(at, end));
		at = end;
	}
	return groups;
}
function endOf(entries, from) {
	let weight = 0;
	for (let at = from; at < entries.length; at++) {
		const own = entries.weight(at);
		weight += own;
		if (weight >= MAX_WEIGHT) return at + 1;
		if (weight >= MIN_WEIGHT && entries.mark(at) < MARKS * own / MEAN) return at + 1;
	}
	return entries.length;
}
/** The group of the state before that has exactly these entries, counted from the front or from the end. */
function groupBefore(entries, from, to, before, starts) {
	if (before === void 0) return void 0;
	for (const shift of [0, before.length - entries.length]) {
		const nth = starts?.get(from + shift);
		const group = nth === void 0 ? void 0 : before.groups[nth];
		if (group?.length !== to - from) continue;
		let at = from;
		while (at < to && entries.isOld(at, at + shift)) at++;
		if (at === to) return group;
	}
}
/** Where each group begins, from the `first` on, which begins at `from`. */
function startsOf(groups, first, from) {
	const starts = /* @__PURE__ */ new Map();
	let at = from;
	for (let nth = first; nth < groups.length; nth++) {
		starts.set(at, nth);
		at += groups[nth]?.length ?? 0;
	}
	return starts;
}
/** FNV-1a over the first characters: cheap, and only ever decides where to cut. */
function markOf(text) {
	let hash = 2166136261 ^ text.length;
	const end = Math.min(text.length, 128);
	for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
	hash ^= hash >>> 15;
	hash = Math.imul(hash, 739982445);
	return (hash ^ hash >>> 13) >>> 0;
}
// ../core/src/nodes/pieces.ts
/** The body of a node as it is written: texts, and references between them. */
var Pieces = class {
	#pieces = [];
	#text = "";
	/** The same with the hashes of what is referred to. */
	#contents = "";
	text(text) {
		this.#text += text;
		return this;
	}
	node(node) {
		if (this.#text !== "") this.#pieces.push(this.#text);
		this.#contents += `${this.#text}\u001f${node.hash};`;
		this.#text = "";
		this.#pieces.push(node);
		return this;
	}
	contents() {
		return this.#contents + this.#text;
	}
	end() {
		return this.#text === "" ? this.#pieces : [...this.#pieces, this.#text];
	}
};
/** A value as it is written in what it is in. */
function write(to, value) {
	const node = nodeOf$1(value);
	if (node) return to.node(node);
	if (value instanceof Container) return writeFramed(to, value);
	return value instanceof Long ? to.node(value.node) : to.text(scalarText(value));
}
function writeFramed(to, container) {
	const [open, close] = container.keys === void 0 ? ["[", "]"] : ["{", "}"];
	return writeEntries(to.text(open), container, 0, container.values.length).text(close);
}
function writeEntries(to, { values, keys }, from, end) {
	for (let at = from; at < end; at++) {
		if (at > from) to.text(",");
		if (keys !== void 0) to.text(`${JSON.stringify(keys[at] ?? "")}:`);
		write(to, values[at] ?? null);
	}
	return to;
}
const nodeOf$1 = (value) => value instanceof Container || value instanceof Long ? value.node : void 0;
/** 32 bits of a hash that decide where to cut. */
const markOfHash = (hash) => Number.parseInt(hash.slice(0, 8), 16);
function markOfValue(value) {
	const node = nodeOf$1(value);
	return node ? markOfHash(node.hash) : markOf(write(new Pieces(), value).contents());
}
// ../core/src/nodes/share.ts
/**
* A value cut into nodes, of which only those are new that the state before does not have. Values are those of
* `JSON.stringify`, or of `valuesOf`.
* @throws InspectorError invalid_input for what JSON cannot hold
* @example const { state, fresh } = share({ step: 2 }, { hash, before });
*/
function share(value, { hash, before, immutable = false }) {
	const sharing = new Sharing(hash, immutable);
	try {
		const told = toInput(value, "");
		if (told === void 0) throw invalid$1("no value that JSON can hold");
		return {
			state: sharing.state(told, before),
			fresh: sharing.fresh
		};
	} catch (cause) {
		if (cause instanceof RangeError) throw invalid$1("a value that is nested too deeply", cause);
		throw cause;
	}
}
const toInput = (value, key) => value instanceof Exact || value instanceof Members ? value : jsonValue(value, key);
/** Of an array, what cannot be written is null. */
const toItem = (value, at) => toInput(value, at) ?? null;
var Sharing = class {
	fresh = [];
	#hash;
	#immutable;
	constructor(hash, immutable) {
		this.#hash = hash;
		this.#immutable = immutable;
	}
	state(input, before) {
		const value = this.#value(input, before?.value, 0);
		if (before && value === before.value) return before;
		return {
			value,
			node: nodeOf$1(value) ?? this.#node(KIND.value, write(new Pieces(), value)),
			bytes: bytesOf(value)
		};
	}
	#value(input, old, depth) {
		if (typeof input === "string") return input.length < 2048 ? input : this.#long(input, old);
		if (input === null || typeof input === "number" || typeof input === "boolean") return input;
		if (input instanceof Exact) {
			if (input.source.length >= 2048) return this.#long(input, old);
			return old instanceof Exact && old.source === input.source ? old : input;
		}
		if (typeof input !== "object") throw invalid$1("a value that JSON cannot hold");
		const was = old instanceof Container ? old : void 0;
		if (was && this.#isSource(input, was)) return was;
		if (depth > 400) return this.#value(new Exact(deepText(input)), old, 0);
		if (Array.isArray(input)) return this.#array(input, was?.keys === void 0 ? was : void 0, depth);
		return this.#object(input, was?.keys === void 0 ? void 0 : was, depth);
	}
	#long(value, old) {
		if (old instanceof Long && sameScalar(value, old.value)) return old;
		return new Long(value, scalarBytes(value), this.#node(KIND.value, new Pieces().text(scalarText(value))));
	}
	/** True where the value was made of this very object, which never changes. */
	#isSource(input, old) {
		return this.#immutable && old instanceof Container && old.source !== void 0 && old.source === input;
	}
	/** So that the next save does not look into what this one has found to be the same. */
	#sameAs(input, old) {
		if (this.#immutable) old.source = sourceOf(input);
		return old;
	}
	#array(input, old, depth) {
		const olds = old?.values ?? [];
		const most = Math.min(input.length, olds.length);
		let prefix = 0;
		while (prefix < most && this.#sameItem(input, prefix, olds[prefix] ?? null, depth + 1)) prefix++;
		if (old && prefix === input.length && prefix === olds.length) return this.#sameAs(input, old);
		const shift = olds.length - input.length;
		let end = input.length;
		const least = prefix + Math.max(0, -shift);
		while (end > least && this.#sameItem(input, end - 1, olds[end - 1 + shift] ?? null, depth + 1)) end--;
		const spare = /* @__PURE__ */ new Map();
		for (const value of olds.slice(prefix, end + shift)) if (value instanceof Container && value.node) spare.set(value.node.hash, value);
		const middle = input.slice(prefix, end).map((item, nth) => this.#known(spare, () => this.#value(toItem(item, prefix + nth), olds[prefix + nth], depth + 1)));
		const values = olds.slice(0, prefix).concat(middle, olds.slice(end + shift));
		return this.#container({
			values,
			keys: void 0,
			old,
			source: input,
			prefix,
			suffix: input.length - end
		});
	}
	/** What was made again though the array had it elsewhere. */
	#known(spare, make) {
		const { length } = this.fresh;
		const value = make();
		const had = value instanceof Container && value.node && spare.get(value.node.hash);
		if (!had) return value;
		this.fresh.length = length;
		return had;
	}
	#object(input, old, depth) {
		const { keys, values: inputs } = input instanceof Members ? input : membersOf(input);
		const oldKeys = old?.keys ?? [];
		const inPlace = keys.length === oldKeys.length && keys.every((key, at) => key === oldKeys[at]);
		const places = inPlace || old === void 0 ? void 0 : new Map(oldKeys.map((key, at) => [key, at]));
		const values = inputs.map((value, at) => {
			const place = inPlace ? at : places?.get(keys[at] ?? "");
			return this.#value(value, place === void 0 ? void 0 : old?.values[place], depth + 1);
		});
		const isOld = (at, before) => keys[at] === oldKeys[before] && values[at] === old?.values[before];
		const most = Math.min(keys.length, oldKeys.length);
		let prefix = 0;
		while (prefix < most && isOld(prefix, prefix)) prefix++;
		if (old && prefix === keys.length && prefix === oldKeys.length) return this.#sameAs(input, old);
		let suffix = 0;
		while (suffix < most - prefix && isOld(keys.length - 1 - suffix, oldKeys.length - 1 - suffix)) suffix++;
		return this.#container({
			values,
			keys: inPlace ? oldKeys : keys,
			old,
			source: input,
			prefix,
			suffix
		});
	}
	#container(made) {
		const { values, keys, old, prefix, suffix } = made;
		const { weight, entryBytes } = measured(made, old, prefix, suffix);
		const whole = {
			values,
			keys,
			weight,
			bytes: entryBytes + frameBytes(values.length)
		};
		const source = this.#immutable ? sourceOf(made.source) : void 0;
		if (values.length >= CUT_FROM.entries && weight > CUT_FROM.weight) {
			const levels = this.#levels(whole, old && {
				old,
				prefix,
				suffix
			});
			const kind = keys === void 0 ? KIND.array : KIND.object;
			return new Container({
				...whole,
				source,
				levels,
				node: this.#list(kind, levels.at(-1) ?? [])
			});
		}
		const isOwn = inlineWeight(values.length, weight) > 256;
		const plain = {
			...whole,
			source,
			levels: []
		};
		const node = isOwn ? this.#node(KIND.value, writeFramed(new Pieces(), whole)) : void 0;
		return new Container({
			...plain,
			node
		});
	}
	#levels({ values, keys }, before) {
		const { old, prefix = 0, suffix = 0 } = before ?? {};
		const entries = this.#entries(values, keys, old);
		const lowest = old?.levels[0];
		const levels = [cut(entries, lowest && {
			length: old?.values.length ?? 0,
			groups: lowest,
			prefix,
			suffix
		})];
		for (;;) {
			const below = levels.at(-1) ?? [];
			if (below.length * 10 <= CUT_FROM.weight * 2) return levels;
			levels.push(cut(this.#groups(below), sharedEnds(below, old?.levels[levels.length - 1], old?.levels[levels.length])));
		}
	}
	#entries(values, keys, old) {
		const valueAt = (at) => values[at] ?? null;
		return {
			length: values.length,
			weight: (at) => weightOf(valueAt(at)) + (keys === void 0 ? 1 : keyWeight(keys[at] ?? "")),
			mark: (at) => keys === void 0 ? markOfValue(valueAt(at)) : markOf(keys[at] ?? ""),
			isOld: (at, before) => values[at] === old?.values[before] && keys?.[at] === old?.keys?.[before],
			make: (from, to) => {
				const pieces = writeEntries(new Pieces(), {
					values,
					keys
				}, from, to);
				return {
					node: this.#node(KIND.entries, pieces),
					length: to - from,
					count: to - from
				};
			}
		};
	}
	#groups(groups) {
		return {
			length: groups.length,
			weight: () => 10,
			mark: (at) => markOfHash(groups[at]?.node.hash ?? "0"),
			isOld: () => false,
			make: (from, to) => {
				const part = groups.slice(from, to);
				const count = part.reduce((sum, group) => sum + group.count, 0);
				return {
					node: this.#list(KIND.list, part),
					length: to - from,
					count
				};
			}
		};
	}
	#list(kind, groups) {
		const pieces = new Pieces();
		for (const [at, { node, count }] of groups.entries()) pieces.text(at === 0 ? "" : " ").node(node).text(`:${count}`);
		return this.#node(kind, pieces);
	}
	#node(kind, written) {
		const node = {
			id: 0,
			hash: this.#hash(`${kind} ${written.contents()}`)
		};
		this.fresh.push({
			node,
			kind,
			pieces: written.end()
		});
		return node;
	}
	#sameItem(input, at, old, depth) {
		const raw = input[at];
		return raw === old || this.#isSource(raw, old) || this.#same(toItem(raw, at), old, depth);
	}
	/** Whether `input` writes what `old` writes. Makes nothing, and stops at the first difference. */
	#same(input, old, depth) {
		if (!(old instanceof Container)) return sameScalar(input, old instanceof Long ? old.value : old);
		if (this.#isSource(input, old)) return true;
		if (typeof input !== "object" || input === null || input instanceof Exact || depth > 400) return false;
		const isSame = Array.isArray(input) ? this.#sameItems(input, old, depth + 1) : this.#sameMembers(input, old, depth + 1);
		if (isSame) this.#sameAs(input, old);
		return isSame;
	}
	#sameItems(input, { keys, values }, depth) {
		if (keys !== void 0 || values.length !== input.length) return false;
		for (let at = 0; at < values.length; at++) if (!this.#sameItem(input, at, values[at] ?? null, depth)) return false;
		return true;
	}
	#sameMembers(input, { keys, values }, depth) {
		if (keys === void 0) return false;
		const isOld = (at, key, value) => key === keys[at] && this.#same(value, values[at] ?? null, depth);
		if (input instanceof Members) return input.keys.length === keys.length && input.keys.every((key, at) => isOld(at, key, input.values[at]));
		let at = 0;
		for (const key of Object.keys(input)) {
			const value = memberOf(input, key);
			if (value === void 0) continue;
			if (!isOld(at, key, value)) return false;
			at++;
		}
		return at === keys.length;
	}
};
function deepText(input) {
	try {
		return JSON.stringify(input);
	} catch (cause) {
		throw invalid$1("itself, or a value that JSON has no form for", cause);
	}
}
function membersOf(input) {
	const keys = [];
	const values = [];
	for (const key of Object.keys(input)) {
		const value = memberOf(input, key);
		if (value === void 0) continue;
		keys.push(key);
		values.push(value);
	}
	return {
		keys,
		values
	};
}
/** As it is written; `undefined` where it is not. */
function memberOf(input, key) {
	const own = isRecord(input) ? input[key] : void 0;
	return toInput(own, key);
}
/** Any object but an array is read by its keys. */
const isRecord = (value) => !Array.isArray(value);
/** An object with its own `toJSON` may give another answer the next time. */
const sourceOf = (input) => "toJSON" in input ? void 0 : input;
const sameScalar = (input, old) => input === old || input instanceof Exact && old instanceof Exact && input.source === old.source;
/** What two levels of the same array have in common at their ends. */
function sharedEnds(now, before, groups) {
	if (before === void 0 || groups === void 0) return void 0;
	const most = Math.min(now.length, before.length);
	let prefix = 0;
	while (prefix < most && now[prefix] === before[prefix]) prefix++;
	let suffix = 0;
	while (suffix < most - prefix && now[now.length - 1 - suffix] === before[before.length - 1 - suffix]) suffix++;
	return {
		length: before.length,
		groups,
		prefix,
		suffix
	};
}
// ../core/src/nodes/known-texts.ts
/** Of what is held; what states share is held once. */
const MAX_BYTES$1 = 67108864;
/** Texts of nodes that were read before, so that a state which shares them is put together from few pieces. */
var KnownTexts = class {
	/** The greatest id of all, 0 where there is none. */
	newest = 0;
	#texts = /* @__PURE__ */ new Map();
	#maxBytes;
	#bytes = 0;
	constructor(maxBytes = MAX_BYTES$1) {
		this.#maxBytes = maxBytes;
	}
	has(id) {
		return this.#texts.has(id);
	}
	clear() {
		this.#texts.clear();
		this.#bytes = 0;
		this.newest = 0;
	}
	/**
	* The text of a state, `nodes` being those of it that are not known. `bytes`: its length as stored.
	* @throws InspectorError unreadable where a node is missing, or the nodes are no such text
	*/
	textOf(nodes, root, bytes) {
		try {
			return this.#made(nodes, root, bytes);
		} catch (cause) {
			if (cause instanceof RangeError) throw endless(cause);
			throw cause;
		} finally {
			if (this.#bytes > this.#maxBytes) this.clear();
		}
	}
	#made(nodes, id, bytes) {
		const { kind, body } = nodeAt(nodes, id);
		const textAt = (ref) => this.#texts.get(ref) ?? this.#kept(nodes, ref, bytes);
		const pieces = kind === KIND.value || kind === KIND.entries ? filled(body, textAt) : listed(kind, body, textAt);
		const text = isSmall(kind) ? pieces.join("") : pieces.reduce((sum, piece) => sum + piece, "");
		if (text.length > bytes) throw endless();
		return text;
	}
	/** A whole state is not kept: its reader makes one piece of it, which would be as large as all the others. */
	#kept(nodes, id, bytes) {
		const text = this.#made(nodes, id, bytes);
		const { kind, body } = nodeAt(nodes, id);
		this.#texts.set(id, text);
		this.#bytes += isSmall(kind) ? text.length : body.length;
		this.newest = Math.max(this.newest, id);
		return text;
	}
};
/** Some of the entries of a container; any other node may be as large as the state. */
const isSmall = (kind) => kind === KIND.entries || kind === KIND.list;
function filled(body, textAt) {
	const pieces = [];
	let at = 0;
	for (let ref = body.indexOf(""); ref >= 0; ref = body.indexOf("", at)) {
		const end = body.indexOf(";", ref);
		if (end < 0) throw new InspectorError("unreadable", "A part of this state ends in a torn reference.");
		pieces.push(body.slice(at, ref), textAt(Number(body.slice(ref + 1, end))));
		at = end + 1;
	}
	pieces.push(at === 0 ? body : body.slice(at));
	return pieces;
}
function listed(kind, body, textAt) {
	const texts = refsIn(body).flatMap((ref, at) => at === 0 ? [textAt(ref)] : [",", textAt(ref)]);
	if (kind === KIND.list) return texts;
	return kind === KIND.array ? [
		"[",
		...texts,
		"]"
	] : [
		"{",
		...texts,
		"}"
	];
}
// ../core/src/uuid6.ts
/** Ids that sort by their time, as LangGraph makes them. */
const UUID6 = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 100 ns steps from 1582-10-15 to 1970-01-01. */
const EPOCH = 122192928000000000n;
const STEPS_PER_MS = 10000n;
/** The id's time in 100 ns steps since 1582-10-15; `undefined` for any other id. Source: RFC 9562, section 5.6. */
function ticksOf(id) {
	const parts = UUID6.exec(id);
	return parts ? BigInt(`0x${parts[1]}${parts[2]}${parts[3]}`) : void 0;
}
/** Later than now and than `newest`; the step is in the fourth group. @throws InspectorError unsupported */
function newerId(newest, step, now) {
	const clock = BigInt(now.getTime()) * STEPS_PER_MS + EPOCH;
	const last = newest === void 0 ? void 0 : ticksOf(newest);
	const ticks = last !== void 0 && last >= clock ? last + 1n : clock;
	const hex = ticks.toString(16).padStart(15, "0");
	const group4 = (32768 | step & 16383).toString(16);
	const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-6${hex.slice(12)}-${group4}-${randomNode()}`;
	if (newest !== void 0 && id <= newest) throw new InspectorError("unsupported", `This thread's ids aren't UUIDs ("${newest}"), so a newer one can't be created.`);
	return {
		id,
		ticks
	};
}
function randomNode() {
	const bytes = crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(6));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
// ../core/src/native/parts.ts
/** What all rules of our own stores share. */
/** The parts that all plans share, with empty lists. */
function frame(view, request, task, latestBefore) {
	return {
		request,
		store: view.store,
		task,
		latestBefore,
		...emptyPlanLists()
	};
}
function checkNewTask(task, head) {
	if (task === "") throw emptyName("targetTask", "a task name");
	if (!head) return;
	throw new InspectorError("invalid_input", `Task "${task}" already has checkpoints. Choose a new task name for the copy.`, { data: { targetTask: task } });
}
function emptyName(key, what) {
	return new InspectorError("invalid_input", `The copy needs ${what}; it cannot be empty.`, { data: { [key]: "" } });
}
function seen({ ref, revision }) {
	return {
		ref,
		revision
	};
}
function latestOf$1(head) {
	return head ? {
		ref: head.ref,
		basis: "rule"
	} : { basis: "none" };
}
function headOf(task, head) {
	return {
		kind: "head",
		task,
		...head ? { ref: head.ref } : {}
	};
}
function unchanged(row) {
	return {
		kind: "revision",
		ref: row.ref,
		revision: row.revision
	};
}
// ../core/src/native/framed.ts
/** Rules for checkpoints of a framework that keeps a text beside them: its own copies follow them too. */
const INNER = "This checkpoint belongs to a part of the task that starts from the task itself, such as a subgraph.";
const BUILT = "This state is built from writes that are kept with earlier checkpoints";
const isElsewhere = ({ ref, targetTask }) => targetTask !== void 0 && targetTask !== ref.task;
/** @throws InspectorError unsupported */
async function checkFramed(view, request, { ref }) {
	if (ref.namespace) {
		const remedy = "Use the checkpoint of the root that it belongs to.";
		throw new InspectorError("unsupported", INNER, {
			data: { ...ref },
			remedy
		});
	}
	if (request.kind !== "edit") return;
	if (await needsParents(view, ref)) throw new InspectorError("unsupported", `${BUILT}, so it can't be edited as a whole.`, { data: { ...ref } });
	if (isElsewhere(request)) throw elsewhere(request);
}
function elsewhere({ ref }) {
	return new InspectorError("unsupported", "An edit of this checkpoint can't go to another task.", {
		data: { ...ref },
		remedy: "Copy the task first, then edit the copy."
	});
}
/** Whether what is beside a state says that it isn't whole without the writes of earlier checkpoints. */
async function needsParents(view, ref) {
	const value = JSON.parse(await view.beside(ref) ?? "null");
	return typeof value === "object" && value !== null && "needsParents" in value && value.needsParents === true;
}
/** A framework that sorts its checkpoints by their ids gets one that is newer than all; `undefined` for other ids. */
function orderedId(view, source, given, head) {
	if (ticksOf(source) === void 0) return void 0;
	if (given === void 0) return newerId(head?.ref.id ?? source, 0, view.now()).id;
	if (ticksOf(given) !== void 0 && given > (head?.ref.id ?? "")) return void 0;
	throw new InspectorError("invalid_input", "The id of this fork must be a newer UUID of version 6, or left out.", { data: { id: given } });
}
const parentColumns = (parent) => ({
	parent_task: parent?.task ?? null,
	parent_id: parent?.id ?? null,
	parent_namespace: parent?.namespace ?? null
});
/** What continues from here, as the program that saved it is called. */
const resumeCall = (task, framed) => framed ? `await graph.invoke(null, { configurable: { thread_id: ${JSON.stringify(task)} } })` : `await manager.restore(${JSON.stringify(task)})`;
/** Writes of these rows, where there are any. */
async function writesOf(view, rows) {
	const counted = [];
	for (const { ref } of rows) counted.push({
		ref,
		count: await view.writes(ref)
	});
	return counted.filter(({ count }) => count > 0);
}
const clearing = (clears) => clears.length === 0 ? {} : { clears };
/** Children of rows that go, and stay themselves; oldest first. */
async function orphansOf(view, gone) {
	const found = [];
	for (const { ref } of gone.values()) found.push(...await view.children(ref));
	return found.filter(({ ref }) => !gone.has(refKey(ref))).sort((a, b) => a.seq - b.seq);
}
/** Children that stay get the nearest ancestor that stays. @throws InspectorError unsupported where that loses a state */
async function adoptions(view, orphans, gone) {
	const moves = [];
	for (const { ref, parent, framed } of orphans) {
		if (!framed || parent === void 0) continue;
		if (await needsParents(view, ref)) throw new InspectorError("unsupported", `${parent.id} can't be deleted alone: later states are built from the writes kept with it.`, {
			data: { ...parent },
			remedy: "Delete the whole task."
		});
		const stays = survivor(parent, gone);
		moves.push({
			ref,
			...stays === void 0 ? {} : { parent: stays }
		});
	}
	return moves;
}
function survivor(from, gone) {
	const visited = /* @__PURE__ */ new Set();
	let ref = from;
	while (ref !== void 0 && gone.has(refKey(ref)) && !visited.has(refKey(ref))) {
		visited.add(refKey(ref));
		ref = gone.get(refKey(ref))?.parent;
	}
	return ref;
}
/**
* The task up to a checkpoint, under another name: all namespaces, with their writes. Ids stay, so runs and questions
* keep theirs. Of the latest all writes are taken, of an older checkpoint only its question.
*/
async function planTaken(view, request, source) {
	const { task } = source.ref;
	const target = request.targetTask ?? task;
	checkNewTask(target, await view.newest(target));
	if (await view.loose(target)) throw new InspectorError("invalid_input", `Task "${target}" already has writes.`);
	if (request.kind === "fork" && request.id !== void 0 && request.id !== source.ref.id) throw new InspectorError("invalid_input", "A copy of this task keeps its checkpoint ids: leave the id out.");
	const [head, newest] = [await view.head(task), await view.newest(task)];
	const isHead = head?.ref.id === source.ref.id;
	const rows = (await view.rows(task)).filter(({ seq }) => isHead || seq <= source.seq);
	const here = (ref) => refIn(ref.task === task ? target : ref.task, ref);
	const latest = here(source.ref);
	const reason = isHead ? "copy with all its writes" : `copy of what led to ${source.ref.id}`;
	return {
		view: {
			...frame(view, request, task, latestOf$1(void 0)),
			targetTask: target,
			preconditions: [
				...isHead ? [headOf(task, head)] : [],
				headOf(target, void 0),
				unchanged(source),
				{
					kind: "absent",
					ref: latest
				}
			],
			writes: planList(rows.toReversed().map(({ ref, sizeBytes }) => ({
				ref: here(ref),
				reason,
				sizeBytes
			}))),
			warnings: [],
			latestAfter: latest,
			proofHash: source.revision,
			bytesFreed: 0,
			next: resumeCall(target, true)
		},
		job: view.job({
			unchanged: [seen(source)],
			newest: [{ task: target }, ...isHead && newest ? [{
				task,
				seq: newest.seq
			}] : []],
			taken: rows.map(({ ref, parent }) => ({
				from: ref,
				to: here(ref),
				set: {
					seq: null,
					...parentColumns(parent && here(parent))
				},
				writes: isHead || refKey(ref) !== refKey(source.ref) ? "all" : "questions"
			})),
			removes: []
		})
	};
}
// ../core/src/native/new-row.ts
function copiedRow(request, source) {
	const verb = request.kind === "fork" ? "fork" : "copy";
	return {
		set: {},
		sizeBytes: source.sizeBytes,
		revision: source.revision,
		reason: `${verb} of "${source.ref.id}", saved last, so it is what resumes`,
		word: request.kind === "fork" ? "fork" : "restored",
		warnings: []
	};
}
/** @throws InspectorError invalid_input | too_large */
async function editedRow(request, original) {
	const { text } = request;
	readEdit(text);
	const bytes = new TextEncoder().encode(text);
	const revision = await sha256Hex(bytes);
	return {
		set: {
			text,
			state_hash: revision,
			size_bytes: bytes.length,
			description: editWords(request),
			duration_ms: null,
			token_usage: null,
			cost_usd: null
		},
		sizeBytes: bytes.length,
		revision,
		reason: `the edited text as a child of "${request.ref.id}", saved last, so it is what resumes`,
		word: "edit",
		warnings: editWarnings(original, text)
	};
}
const SUFFIX = /-(?:restored|fork|edit)-\d+$/;
/** A readable id for a copy, free in the whole store. A copy of a copy counts on instead of growing its name. */
async function copyId(id, kind, taken) {
	const base = id.replace(SUFFIX, "");
	for (let n = 1;; n++) {
		const next = `${base}-${kind}-${n}`;
		if (!await taken(next)) return next;
	}
}
// ../core/src/native/plan.ts
/**
* The rules of our own stores: what a request will write, remove and evict.
* Reads only. @throws InspectorError not_found | invalid_input | too_large | unsupported
*/
async function planRows(view, request) {
	if (request.kind === "delete") return planDelete(view, request);
	const source = await existing(view, request.ref);
	if (source.framed || source.ref.namespace) await checkFramed(view, request, source);
	if (source.framed && isElsewhere(request)) return planTaken(view, request, source);
	if (request.kind !== "edit") return planCopy(view, request, source, copiedRow(request, source));
	return planCopy(view, request, source, await editedRow(request, await view.text(source.ref)));
}
async function planCopy(view, request, source, saved) {
	const task = request.targetTask ?? source.ref.task;
	const own = task === source.ref.task;
	const [head, newest] = [await view.head(task), await view.newest(task)];
	if (!own) checkNewTask(task, newest);
	const copy = {
		task,
		id: await newId(view, request, task, source, saved)
	};
	const evicts = await evictions(view, task, (row) => evictionReason(request, row, source, copy));
	const item = {
		ref: copy,
		reason: saved.reason,
		sizeBytes: saved.sizeBytes
	};
	return {
		view: {
			...frame(view, request, source.ref.task, latestOf$1(head)),
			...own ? {} : { targetTask: task },
			preconditions: [
				headOf(task, head),
				unchanged(source),
				{
					kind: "absent",
					ref: copy
				}
			],
			writes: planList([item]),
			evicts: planList(evicts),
			warnings: [
				...saved.warnings,
				...evictionWarnings(evicts, source, request.kind),
				...activeWarnings(newest, view.now())
			],
			latestAfter: copy,
			proofHash: saved.revision,
			bytesFreed: bytes$1(evicts),
			next: resumeCall(task, source.framed)
		},
		job: view.job({
			unchanged: [seen(source)],
			copy: {
				from: source.ref,
				to: copy,
				set: copiedColumns(view, request, source, saved),
				...newest ? { newest: newest.seq } : {}
			},
			removes: evicts.map(({ ref }) => ref),
			...clearing(await writesOf(view, evicts))
		})
	};
}
const ACTIVE_MS$1 = 6e4;
/** The manager keeps its state in memory: a running agent continues from there, and its next save is the latest. */
function activeWarnings(head, now) {
	const age = head?.createdAt === void 0 ? NaN : now.getTime() - Date.parse(head.createdAt);
	if (!(Math.abs(age) < ACTIVE_MS$1)) return [];
	return [{
		code: "agent_active",
		message: "The newest checkpoint is less than a minute old. A running agent would save over this: stop it first."
	}];
}
async function planDelete(view, request) {
	const wanted = /* @__PURE__ */ new Map();
	for (const ref of request.refs) wanted.set(refKey(ref), await existing(view, ref));
	const [first] = wanted.values();
	if (!first) throw new InspectorError("invalid_input", "Name at least one checkpoint to delete.");
	const { task } = first.ref;
	const removed = [...wanted.values()];
	if (removed.some((row) => row.ref.task !== task)) throw new InspectorError("invalid_input", "A request can delete checkpoints from one task only. Send one per task.");
	const before = await view.head(task);
	const after = await headWithout(view, before, wanted);
	const isNewHead = after?.seq !== before?.seq;
	const orphans = await orphansOf(view, wanted);
	const moves = await adoptions(view, orphans, wanted);
	const again = after?.framed && isNewHead ? [after] : [];
	const clears = await writesOf(view, [...removed, ...again]);
	const items = removed.map((row) => ({
		ref: row.ref,
		reason: "requested",
		sizeBytes: row.sizeBytes
	}));
	return {
		view: {
			...frame(view, request, task, latestOf$1(before)),
			preconditions: removed.map(unchanged),
			removes: planList(items),
			warnings: deleteWarnings(after, isNewHead, orphans),
			...after ? { latestAfter: after.ref } : {},
			bytesFreed: bytes$1(items)
		},
		job: view.job({
			unchanged: removed.map(seen),
			...moves.length === 0 ? {} : { moves },
			removes: removed.map(({ ref }) => ref),
			...clearing(clears)
		})
	};
}
/** Looks only as far as rows go. */
async function headWithout(view, head, gone) {
	let row = head;
	while (row && gone.has(refKey(row.ref))) row = await view.head(row.ref.task, row.seq);
	return row;
}
async function newId(view, request, task, source, { word }) {
	const given = request.kind === "fork" ? request.id : void 0;
	const ordered = source.framed ? orderedId(view, request.ref.id, given, await view.head(task)) : void 0;
	if (ordered !== void 0) return ordered;
	if (given === void 0) return copyId(request.ref.id, word, (id) => view.taken(id));
	if (given === "") throw emptyName("id", "an id");
	if (!await view.row({
		task,
		id: given
	})) return given;
	throw new InspectorError("invalid_input", `Task "${task}" already has a checkpoint "${given}".`, { data: { id: given } });
}
async function existing(view, ref) {
	const row = await view.row(ref);
	if (row) return row;
	throw noCheckpoint(ref);
}
/** First saved, first out: the store keeps `maxPerTask`, the copy included. */
async function evictions(view, task, why) {
	const { maxPerTask } = view;
	if (maxPerTask === void 0) return [];
	return (await view.beyond(task, maxPerTask - 1)).map((row) => ({
		ref: row.ref,
		reason: `oldest; the task keeps ${maxPerTask}${why(row)}`,
		sizeBytes: row.sizeBytes,
		when: "now"
	}));
}
/** An edit does not keep the state of what it was made from. */
function evictionReason(request, row, source, copy) {
	return request.kind !== "edit" && refKey(row.ref) === refKey(source.ref) ? `; its state is kept in "${copy.id}"` : "";
}
const SOURCE_EVICTED = {
	restore: "The restored checkpoint is the oldest, so only its copy will remain.",
	fork: "The forked checkpoint is the oldest, so only its copy will remain.",
	edit: "The edited checkpoint is the oldest, so it is evicted and only the edit will remain."
};
function evictionWarnings(evicts, source, kind) {
	if (evicts.length === 0) return [];
	const self = evicts.some((item) => refKey(item.ref) === refKey(source.ref));
	return [{
		code: "evicts",
		message: `The task is full: ${count(evicts.length)} will be evicted.`
	}, ...self ? [{
		code: "source_evicted",
		message: SOURCE_EVICTED[kind]
	}] : []];
}
function deleteWarnings(next, isNew, orphans) {
	const warnings = [];
	if (!next) warnings.push({
		code: "task_emptied",
		message: "The task will have no checkpoints left, so it cannot resume."
	});
	else if (isNew) warnings.push({
		code: "latest_deleted",
		message: `This deletes the latest checkpoint. The task will resume from "${next.ref.id}".`
	});
	if (orphans.length > 0 && orphans.every((row) => row.framed)) {
		const message = `${count(orphans.length)} will be attached to what came before.`;
		warnings.push({
			code: "children_moved",
			message
		});
	} else if (orphans.length > 0) warnings.push({
		code: "parent_missing",
		message: `The recorded parent of ${count(orphans.length)} will be missing.`
	});
	return warnings;
}
function count(n) {
	return n === 1 ? "1 checkpoint" : `${n} checkpoints`;
}
function copiedColumns(view, request, source, saved) {
	return {
		...saved.set,
		seq: null,
		...parentColumns(source.framed ? source.parent : source.ref),
		trigger: request.kind,
		created_at: view.now().toISOString()
	};
}
function bytes$1(items) {
	return items.reduce((sum, item) => sum + item.sizeBytes, 0);
}
// ../core/src/native/row.ts
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const TRIGGERS = [
	"auto",
	"manual",
	"error",
	"input",
	"update",
	"fork",
	"restore",
	"edit"
];
const STATUSES = [
	"running",
	"completed",
	"failed",
	"interrupted",
	"pending",
	"unknown"
];
/** What is saved of a checkpoint besides its state. @throws InspectorError invalid_input */
function toFields(checkpoint, now) {
	checkCheckpoint(checkpoint);
	return {
		task: checkpoint.task,
		namespace: checkpoint.namespace ?? "",
		id: checkpoint.id,
		parent_task: checkpoint.parent?.task ?? null,
		parent_id: checkpoint.parent?.id ?? null,
		parent_namespace: checkpoint.parent?.namespace || null,
		step_index: checkpoint.stepIndex ?? null,
		total_steps: checkpoint.totalSteps ?? null,
		trigger: checkpoint.trigger ?? null,
		status: checkpoint.status ?? null,
		description: checkpoint.description ?? null,
		agent_id: checkpoint.agentId ?? null,
		duration_ms: checkpoint.durationMs ?? null,
		token_usage: checkpoint.tokenUsage ?? null,
		cost_usd: checkpoint.costUsd ?? null,
		created_at: checkpoint.createdAt ?? now().toISOString(),
		beside: checkpoint.beside ?? null
	};
}
function checkCheckpoint(checkpoint) {
	const { id, task, namespace = "", text, parent, createdAt, beside = "null" } = checkpoint;
	if ("value" in checkpoint && text !== void 0) throw invalid("text", "and value can't be given together");
	const names = {
		id,
		task,
		namespace,
		beside
	};
	for (const [name, value] of Object.entries("value" in checkpoint ? names : {
		...names,
		text
	})) checkText(name, value);
	for (const [name, value] of Object.entries({
		id,
		task
	})) if (value === "") throw invalid(name, "is empty");
	for (const name of [
		"stepIndex",
		"totalSteps",
		"durationMs",
		"tokenUsage",
		"costUsd"
	]) {
		const value = checkpoint[name];
		if (value !== void 0 && !Number.isFinite(value)) throw invalid(name, `must be a number, not ${value}`);
	}
	if (parent && sameRef(parent, checkpoint)) throw invalid("parent", "is the checkpoint itself");
	checkJson(beside, "beside");
	if (createdAt !== void 0 && !isUtcTime(createdAt)) throw invalid("createdAt", "must be ISO 8601 in UTC, such as 2026-01-31T10:00:00Z");
}
/** @throws InspectorError invalid_input */
function checkText(name, value) {
	if (typeof value !== "string") throw invalid(name, "must be text");
	if (!value.isWellFormed()) throw invalid(name, "contains half of a surrogate pair, which cannot be saved in a file");
}
/** ISO 8601 in UTC, and a moment that exists. */
function isUtcTime(text) {
	return UTC_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
function checkJson(text, name = "text") {
	try {
		parseJson(text);
	} catch (cause) {
		throw notJson(cause, name);
	}
}
/** What a save says of a text that a reader refuses. */
function notJson(cause, name = "text") {
	const data = InspectorError.is(cause) ? cause.data : void 0;
	return new InspectorError("invalid_input", `${name} isn't valid JSON.`, {
		cause,
		...data ? { data } : {}
	});
}
function invalid(name, reason, cause) {
	return new InspectorError("invalid_input", `${name} ${reason}.`, {
		cause,
		data: { name }
	});
}
/** The checkpoint of a row. */
function toMeta(store, placed) {
	const { row } = placed.stored;
	const { parent, lineage } = parentOf(placed);
	const createdAt = text(row, "created_at");
	return compact({
		store,
		id: text(row, "id") ?? "",
		taskId: text(row, "task") ?? "",
		namespace: text(row, "namespace") || void 0,
		parentId: parent?.id,
		parentTaskId: parent?.task === row["task"] ? void 0 : parent?.task,
		lineage,
		seq: placed.place,
		stepIndex: number(row, "step_index"),
		totalSteps: number(row, "total_steps"),
		createdAt,
		createdAtText: createdAt,
		timeBasis: createdAt === void 0 ? "none" : "utc",
		trigger: triggerOf(row),
		status: statusOf(placed),
		description: text(row, "description"),
		labels: [],
		agentId: text(row, "agent_id"),
		durationMs: number(row, "duration_ms"),
		tokenUsage: number(row, "token_usage"),
		costUsd: number(row, "cost_usd"),
		sizeBytes: number(row, "size_bytes") ?? 0,
		revision: text(row, "state_hash"),
		isLatest: placed.isLatest
	});
}
/** The node of a row. Assigned field by field: a tree has a hundred thousand of them. */
function toLineage(placed) {
	const { row } = placed.stored;
	const { parent, lineage } = parentOf(placed);
	const time = text(row, "created_at");
	const stepIndex = number(row, "step_index");
	const description = text(row, "description");
	const node = {
		id: text(row, "id") ?? "",
		kind: lineage,
		status: statusOf(placed),
		seq: placed.place,
		isLatest: placed.isLatest
	};
	const namespace = text(row, "namespace");
	if (namespace) node.namespace = namespace;
	if (parent !== void 0) node.parent = parent;
	if (time !== void 0) node.time = time;
	if (stepIndex !== void 0) node.stepIndex = stepIndex;
	if (description !== void 0) node.description = description;
	return node;
}
/** The parent that was given; else the row saved before in its namespace, where no framework says that it has none. */
function parentOf({ stored, before }) {
	const given = parentIn(stored.row);
	if (given) return {
		parent: given,
		lineage: "recorded"
	};
	if (!(before && (text(before.row, "namespace") ?? "") === (text(stored.row, "namespace") ?? "")) || signsOf(stored.row).framed) return { lineage: "none" };
	return {
		parent: refOf(before),
		lineage: "inferred"
	};
}
/** The parent that was given. */
function parentIn(row) {
	const task = text(row, "parent_task");
	const id = text(row, "parent_id");
	if (task === void 0 || id === void 0) return void 0;
	return refIn(task, {
		id,
		...namespaceIn(row, "parent_namespace")
	});
}
const namespaceIn = (row, column) => {
	const namespace = text(row, column);
	return namespace ? { namespace } : {};
};
/** A list reads them as columns of their own. */
function signsOf(row) {
	return {
		framed: row["framed"] === void 0 ? typeof row["beside"] === "string" : Number(row["framed"]) === 1,
		failed: Number(row["failed"] ?? 0) === 1,
		asked: Number(row["asked"] ?? 0) === 1
	};
}
/** What the plan rules read of a row. */
function toPlanRow$1(stored) {
	const { rowid, row } = stored;
	const parent = parentIn(row);
	const createdAt = text(row, "created_at");
	return {
		ref: refOf(stored),
		seq: Number(rowid),
		sizeBytes: number(row, "size_bytes") ?? 0,
		revision: text(row, "state_hash") ?? "",
		framed: signsOf(row).framed,
		...parent === void 0 ? {} : { parent },
		...createdAt === void 0 ? {} : { createdAt }
	};
}
/** Where a row is. */
function refOf({ row }) {
	return refIn(text(row, "task") ?? "", {
		id: text(row, "id") ?? "",
		...namespaceIn(row, "namespace")
	});
}
function text(row, column) {
	const value = row[column];
	return typeof value === "string" ? value : void 0;
}
function number(row, column) {
	const value = row[column];
	return typeof value === "number" || typeof value === "bigint" ? Number(value) : void 0;
}
function triggerOf(row) {
	const value = text(row, "trigger");
	return value !== void 0 && isTrigger(value) ? value : void 0;
}
function isTrigger(value) {
	return typeof value === "string" && TRIGGERS.includes(value);
}
/** A framework's steps that run for longer than this have most likely ended with their process. */
const ACTIVE_MS = 6e4;
/** As saved; of a framework's checkpoint, what its steps wrote tells how it went. */
function statusOf({ stored: { row }, isLatest, isNewest = isLatest }) {
	const value = text(row, "status");
	const saved = value !== void 0 && isStatus(value) ? value : "unknown";
	const { framed, failed, asked } = signsOf(row);
	if (!framed) return saved;
	if (failed) return "failed";
	if (!isNewest) return saved === "failed" ? saved : "completed";
	if (asked) return "interrupted";
	return saved === "running" && !isRecent(text(row, "created_at")) ? "pending" : saved;
}
const isRecent = (time) => time !== void 0 && Math.abs(Date.now() - Date.parse(time)) < ACTIVE_MS;
function isStatus(value) {
	return STATUSES.includes(value);
}
// ../core/src/native/tables.ts
const TABLE$3 = "checkpoints";
/** What steps wrote from a checkpoint, which need not be there yet. */
const WRITES$1 = "writes";
/** Columns of the checkpoints. `seq` is the rowid: null in an insert means "the next one". */
const COLUMNS$2 = [
	"seq",
	"task",
	"namespace",
	"id",
	"text",
	"state_hash",
	"size_bytes",
	"parent_task",
	"parent_id",
	"parent_namespace",
	"step_index",
	"total_steps",
	"trigger",
	"status",
	"description",
	"agent_id",
	"duration_ms",
	"token_usage",
	"cost_usd",
	"created_at",
	"beside"
];
const SHAPES = {
	[TABLE$3]: {
		columns: COLUMNS$2,
		keys: ["namespace", "id"]
	},
	[WRITES$1]: {
		columns: [
			"task",
			"namespace",
			"id",
			"run",
			"idx",
			"path",
			"node",
			"channel",
			"text"
		],
		keys: [
			"namespace",
			"id",
			"run",
			"idx"
		]
	}
};
/** The columns that a row is unique by, in its task and over all. */
const keyColumns = (table) => ["task", ...SHAPES[table]?.keys ?? []];
const open$2 = /* @__PURE__ */ new Map();
new FinalizationRegistry((place) => open$2.delete(place));
/** The tables that a job names by their place; `undefined` once their store or their process is gone. */
function memoryTables(place) {
	return open$2.get(place)?.deref();
}
// ../core/src/native/writes.ts
/** What steps wrote from a checkpoint: as rows of our own stores, and as people see it. */
const ERROR_CHANNEL = "__error__";
const QUESTION_CHANNEL = "__interrupt__";
const OWN_CHANNELS = [
	ERROR_CHANNEL,
	QUESTION_CHANNEL,
	"__scheduled__",
	"__resume__"
];
/** A larger value is named with its size. */
const LARGEST_SHOWN = 65536;
/** Of very many writes, the first are given. */
const MOST_SHOWN = 500;
/** What to save of each write. @throws InspectorError invalid_input */
function toWriteRows(ref, writes) {
	for (const [name, value] of Object.entries({
		task: ref.task,
		id: ref.id,
		namespace: ref.namespace ?? ""
	})) checkText(name, value);
	for (const [name, value] of Object.entries({
		id: ref.id,
		task: ref.task
	})) if (value === "") throw invalid(name, "is empty");
	return writes.map((write) => {
		const { run, index, channel, path = "", node } = write;
		for (const [name, value] of Object.entries({
			run,
			channel,
			path,
			node: node ?? "",
			text: write.text
		})) checkText(name, value);
		if (!Number.isSafeInteger(index)) throw invalid("index", `must be a whole number, not ${index}`);
		checkJson(write.text);
		const { task, namespace = "", id } = ref;
		return {
			task,
			namespace,
			id,
			run,
			idx: index,
			path,
			node: node ?? null,
			channel,
			text: write.text
		};
	});
}
/** A write as it was saved. */
function toWrite(row) {
	return compact({
		run: text(row, "run") ?? "",
		index: number(row, "idx") ?? 0,
		channel: text(row, "channel") ?? "",
		text: text(row, "text") ?? "",
		node: text(row, "node"),
		path: text(row, "path") || void 0
	});
}
/** Nothing where the checkpoint has nothing beside it: then its state tells of errors. */
function besideOf(writes, { beside, isNewest }) {
	if (writes.length === 0 && beside === void 0) return void 0;
	const errors = errorsIn(writes);
	const plain = writes.filter(({ channel }) => !OWN_CHANNELS.includes(channel));
	const next = nextIn(beside, isNewest ? plain : []);
	const more = plain.length - MOST_SHOWN;
	return {
		...errors[0] === void 0 ? {} : {
			error: errors[0].text,
			errors
		},
		requests: writes.filter(({ channel }) => channel === QUESTION_CHANNEL).flatMap(questionsIn),
		writes: plain.slice(0, MOST_SHOWN).map(shown),
		...more > 0 ? { moreWrites: more } : {},
		...next === void 0 ? {} : { next }
	};
}
/** Where one step fails, those beside it are aborted: theirs come after what made them stop. */
function errorsIn(writes) {
	const errors = writes.filter(({ channel }) => channel === ERROR_CHANNEL).map(({ text: stored, node }) => ({
		text: wordsOfError(stored),
		...node === void 0 ? {} : { node }
	}));
	const isAbort = (error) => error.text.startsWith("AbortError: ");
	return [...errors.filter((error) => !isAbort(error)), ...errors.filter(isAbort)];
}
/** An error as stored, in words. @example wordsOfError('{"message":"no","name":"TypeError"}') // 'TypeError: no' */
function wordsOfError(stored) {
	const value = JSON.parse(stored);
	if (typeof value === "string") return value;
	const { name, message } = Object(value);
	if (typeof message !== "string") return stored;
	return typeof name === "string" && name !== "" ? `${name}: ${message}` : message;
}
/** Names of what runs next, without those that have finished. */
function nextIn(beside, done) {
	const value = beside === void 0 ? void 0 : JSON.parse(beside);
	const names = typeof value === "object" && value !== null && "next" in value ? value.next : void 0;
	if (!Array.isArray(names)) return void 0;
	const next = names.filter((name) => typeof name === "string");
	for (const [, node] of new Map(done.map((write) => [write.run, write.node]))) {
		const at = next.indexOf(node ?? "");
		if (at !== -1) next.splice(at, 1);
	}
	return next;
}
function shown({ run, node, channel, text: stored }) {
	const sizeBytes = new TextEncoder().encode(stored).length;
	const value = sizeBytes > LARGEST_SHOWN ? { problem: "The value is too large to show here." } : { text: stored };
	return {
		taskId: run,
		...node === void 0 ? {} : { node },
		channel,
		...value,
		sizeBytes
	};
}
/** One question or a list of them: each a value with an id, cut from the text so that numbers keep their digits. */
function questionsIn({ text: stored, node }) {
	const from = node === void 0 ? {} : { from: node };
	try {
		const root = parseJson(stored);
		return (root.kind === "array" ? root.items : [root]).map((item) => ({
			...questionOf(stored, item),
			...from
		}));
	} catch (error) {
		return [{
			...from,
			text: `The question can't be read: ${InspectorError.from(error).message}`,
			unread: true
		}];
	}
}
function questionOf(stored, node) {
	const value = node.kind === "object" ? memberOf$1(node, "value")?.value ?? node : node;
	const id = node.kind === "object" ? memberOf$1(node, "id")?.value : void 0;
	return {
		...id?.kind === "string" ? { id: stringOf(stored, id) } : {},
		text: value.kind === "string" ? stringOf(stored, value) : sourceOf$1(stored, value)
	};
}
// ../io/src/files/errors.ts
const CODES$1 = {
	ENOENT: ["not_found", "does not exist"],
	ENOTDIR: ["not_found", "does not exist: part of the path is not a folder"],
	EACCES: ["unreadable", "can't be accessed by this user"],
	EPERM: ["unreadable", "can't be accessed by this user"],
	ELOOP: ["unreadable", "is a symbolic link, and links are not followed"],
	EISDIR: ["unreadable", "is a folder"],
	ENXIO: ["unreadable", "is not a regular file"],
	EIO: ["unreadable", "can't be read: the disk reported an error"],
	ENAMETOOLONG: ["invalid_input", "has a name that is too long for this disk"],
	ERR_INVALID_ARG_VALUE: ["invalid_input", "has an invalid name"],
	ENOSPC: ["disk_full", "can't be written: the disk is full"],
	EDQUOT: ["disk_full", "can't be written: this user's disk quota is used up"],
	EROFS: ["unsupported", "is on a read-only disk"],
	EMFILE: ["busy", "can't be opened: too many files are open"]
};
/** The errno name of a thrown value, where it has one. */
function errnoOf(cause) {
	return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : void 0;
}
/** A failed file operation as an InspectorError: ENOENT not_found, EACCES unreadable, ENOSPC disk_full, and so on. */
function fileError(cause, path) {
	if (InspectorError.is(cause)) return cause;
	const errno = errnoOf(cause);
	const [code, words] = errno !== void 0 && CODES$1[errno] || ["internal", "can't be used"];
	return new InspectorError(code, `"${path}" ${words}${errno ? ` (${errno})` : ""}.`, {
		cause,
		data: { path },
		...code === "not_found" ? { remedy: "Move it back, or open it from its new location." } : {}
	});
}
// ../io/src/sqlite/open-files.ts
/**
* The databases that this thread has open, by device and inode. On POSIX, closing any descriptor of a file drops every
* lock that the process holds on it; another process may then remove the log under SQLite's readers. So nothing but
* SQLite opens a database, and whoever reads files by their names asks here before it closes one.
* Source: https://www.sqlite.org/howtocorrupt.html, section 2.2.
*/
/** Weak, because a connection that nobody holds any longer is closed by the driver. */
const connections$1 = /* @__PURE__ */ new Map();
/** Descriptors of open databases that somebody opened by another name: closing one would do the harm. */
const kept$1 = /* @__PURE__ */ new Set();
const keyOf$2 = ({ dev, ino }) => `${dev}:${ino}`;
function openOnes(key) {
	const open = (connections$1.get(key) ?? []).filter((one) => one.deref()?.open);
	if (open.length > 0) connections$1.set(key, open);
	else connections$1.delete(key);
	return open;
}
function noteConnection(path, database) {
	const stat = statSync(path, {
		bigint: true,
		throwIfNoEntry: false
	});
	if (stat === void 0) return;
	const key = keyOf$2(stat);
	connections$1.set(key, [...openOnes(key), new WeakRef(database)]);
}
function isOpenDatabase(inode) {
	return openOnes(keyOf$2(inode)).length > 0;
}
/** Closes a file that was read, unless it is a database in use: its descriptor is kept for good. */
async function closeUnlessDatabase(file, inode) {
	if (inode === void 0 || !isOpenDatabase(inode)) return file.close();
	kept$1.add(file);
}
constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
// ../io/src/files/list.ts
/** The real path of a file or folder: the same however it was named. A path that is gone stays as it is. */
function realPath(path) {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
// ../io/src/files/text.ts
/** sha256 as hex digits; of text its UTF-8 bytes. */
function sha256(data) {
	return createHash("sha256").update(data).digest("hex");
}
// ../io/src/nodes/statements.ts
const kept = /* @__PURE__ */ new WeakMap();
/** A statement that this database has prepared before: preparing takes as long as running it. */
function prepared(db, sql, arrays = false) {
	const statements = kept.get(db) ?? /* @__PURE__ */ new Map();
	kept.set(db, statements);
	const key = arrays ? `${sql} ` : sql;
	const known = statements.get(key);
	if (known) return known;
	const made = db.prepare(sql, { arrays });
	statements.set(key, made);
	return made;
}
// ../io/src/nodes/rows.ts
/** Ids in one statement. */
const BATCH$1 = 2e3;
/** A text needs no hashes. */
const BODIES = "SELECT id, kind, body, '' FROM nodes";
const HASHED = "SELECT id, kind, body, lower(hex(hash)) FROM nodes";
const ONE = " WHERE id = ?";
const MANY = " WHERE id IN (SELECT value FROM json_each(?))";
const INSERT$1 = "INSERT INTO nodes (kind, hash, body) VALUES (?, ?, ?)";
/** Hex sha256 of a text. */
const sha256Text = (text) => hash("sha256", text, "hex");
/** The text of a state. Call it inside a transaction. @throws InspectorError unreadable where a part is missing */
function readText$1(db, { root, whole, size_bytes: bytes }) {
	if (whole === null) return textOf(readAll(db, root, BODIES), root, bytes);
	const text = prepared(db, "SELECT text FROM texts WHERE id = ?").get(whole)?.text;
	if (text !== void 0) return text;
	throw new InspectorError("unreadable", `The text of this state is missing: text ${whole}.`, { data: { text: whole } });
}
const known$1 = /* @__PURE__ */ new WeakMap();
/** Nodes are only ever added until a collection, so those before a node that is still there are there too. */
const STAMP = `SELECT v || (SELECT lower(hex(hash)) FROM nodes WHERE id = ?) FROM store_meta WHERE k = 'gc_epoch'`;
/**
* The text of a state, of which only the nodes are read that no state had which was read before. Call it inside a
* transaction that writes nothing: nodes of one that is rolled back are never to be known.
* @throws InspectorError unreadable where a part is missing
*/
function readKnownText(db, row) {
	if (row.whole !== null) return readText$1(db, row);
	const { texts, stamp } = known$1.get(db) ?? {
		texts: new KnownTexts(),
		stamp: ""
	};
	if (stamp === "" || stampOf(db, texts) !== stamp) texts.clear();
	const text = texts.textOf(readAll(db, row.root, BODIES, texts), row.root, row.size_bytes);
	known$1.set(db, {
		texts,
		stamp: stampOf(db, texts)
	});
	return text;
}
const stampOf = (db, { newest }) => prepared(db, STAMP, true).get(newest)?.[0] ?? "";
/** A stored state as the next one is compared with it. @throws InspectorError unreadable */
const readShared = (db, root) => sharedOf(readAll(db, root, HASHED), root);
/** Nodes by id, without their hashes; those that aren't there are missing. Call it inside a transaction. */
function readBodies(db, ids) {
	return new Map(Array.from(readRows$1(db, ids, BODIES), (row) => [row[0], nodeOf(row)]));
}
/** All nodes of a state but those that are known, a level at a time. */
function readAll(db, root, columns, besides = /* @__PURE__ */ new Set()) {
	const all = /* @__PURE__ */ new Map();
	let wanted = [root];
	while (wanted.length > 0) {
		const next = /* @__PURE__ */ new Set();
		for (const row of readRows$1(db, wanted, columns)) {
			all.set(row[0], nodeOf(row));
			for (const ref of refsIn(row[2])) if (!all.has(ref) && !besides.has(ref)) next.add(ref);
		}
		wanted = [...next].filter((id) => !all.has(id));
	}
	return all;
}
function* readRows$1(db, ids, columns) {
	if (ids.length === 1) return yield* prepared(db, columns + ONE, true).all(ids[0] ?? 0);
	for (let at = 0; at < ids.length; at += BATCH$1) yield* prepared(db, columns + MANY, true).all(JSON.stringify(ids.slice(at, at + BATCH$1)));
}
function nodeOf([id, kind, body, of]) {
	if (isKind(kind) && typeof body === "string") return {
		kind,
		body,
		hash: of
	};
	throw new InspectorError("unreadable", `A part of this state is damaged: node ${id}.`, { data: { node: id } });
}
const KINDS$2 = Object.values(KIND);
const isKind = (kind) => KINDS$2.includes(kind);
/** Writes new nodes and tells them their ids. In the caller's transaction: its rollback makes the ids void. */
function writeNodes(db, fresh) {
	const insert = prepared(db, INSERT$1);
	for (const one of fresh) {
		const { lastInsertRowid } = insert.run(one.kind, Buffer.from(one.node.hash, "hex"), bodyOf(one));
		one.node.id = Number(lastInsertRowid);
	}
}
/** Keeps a text byte for byte; its id. */
function writeWhole(db, text) {
	return Number(prepared(db, "INSERT INTO texts (text) VALUES (?)").run(text).lastInsertRowid);
}
/** Several reads of one moment: nothing that another writer removes meanwhile is missed. */
function readTogether(db, read) {
	db.exec("BEGIN");
	try {
		return read();
	} finally {
		db.exec("COMMIT");
	}
}
// ../io/src/nodes/check.ts
/** Whether the nodes of a store are what was saved: every hash is worked out again. */
const NEXT = `SELECT id, kind, body, lower(hex(hash)) FROM nodes WHERE id > ? ORDER BY id LIMIT 500`;
const HASHES = "SELECT id, lower(hex(hash)) FROM nodes WHERE id IN (SELECT value FROM json_each(?))";
const REF = /\u001f(\d+);/g;
/** All nodes in batches, each read at one moment: others may save and collect between two. */
function* damagedNodes(db) {
	let after = 0;
	for (;;) {
		const { last, bad } = readTogether(db, () => checkBatch(db, after));
		yield bad;
		if (last === void 0) return;
		after = last;
	}
}
function checkBatch(db, after) {
	const rows = prepared(db, NEXT, true).all(after);
	const refs = new Set(rows.flatMap(([, , body]) => typeof body === "string" ? refsIn(body) : []));
	const hashes = new Map(prepared(db, HASHES, true).all(JSON.stringify([...refs])));
	const bad = rows.flatMap(([id, kind, body, hash]) => {
		if (typeof body !== "string") return [id];
		const text = body.replace(REF, (_, ref) => `\u001f${hashes.get(Number(ref)) ?? "missing"};`);
		return sha256Text(`${kind} ${text}`) === hash ? [] : [id];
	});
	return {
		last: rows.at(-1)?.[0],
		bad
	};
}
const ROOTS = `SELECT task, namespace, id, root, state_hash, (SELECT lower(hex(hash)) FROM nodes WHERE id = root) AS hash
  FROM checkpoints ORDER BY seq`;
/** The checkpoints that have one of these nodes, and those whose root isn't the one that was saved. */
function statesWith(db, bad, prefix) {
	return readTogether(db, () => {
		const causes = causesOf(db, bad);
		return prepared(db, ROOTS).all().flatMap(({ task, namespace, id, root, state_hash, hash }) => {
			const isOther = hash === null || state_hash.startsWith(prefix) && state_hash !== prefix + hash;
			const node = causes.get(root) ?? (isOther ? root : void 0);
			return node === void 0 ? [] : [{
				task,
				namespace,
				id,
				node
			}];
		});
	});
}
/** Every node that a damaged one can be reached from, with that damaged one. */
function causesOf(db, bad) {
	const causes = new Map(bad.map((id) => [id, id]));
	if (bad.length === 0) return causes;
	const parents = /* @__PURE__ */ new Map();
	const rows = prepared(db, "SELECT id, body FROM nodes WHERE instr(body, char(31)) > 0", true).all();
	for (const [id, body] of rows) for (const ref of refsIn(body)) parents.set(ref, [...parents.get(ref) ?? [], id]);
	const wanted = [...bad];
	for (let node = wanted.pop(); node !== void 0; node = wanted.pop()) for (const parent of parents.get(node) ?? []) {
		if (causes.has(parent)) continue;
		causes.set(parent, causes.get(node) ?? node);
		wanted.push(parent);
	}
	return causes;
}
// ../io/src/sqlite/driver.ts
const require = createRequire(import.meta.url);
const nodeMajor = Number(process.versions.node.split(".")[0]);
const CURRENT = {
	name: "better-sqlite3-napi",
	spec: "better-sqlite3-napi@npm:better-sqlite3@13.2.0",
	compiled: false,
	load: (load) => load("better-sqlite3-napi")
};
const NODE_20 = {
	name: "better-sqlite3",
	spec: "better-sqlite3@12.11.1",
	compiled: true,
	load(load) {
		refuseNewer(load);
		return load("better-sqlite3");
	}
};
/** better-sqlite3 13 needs Node 22 and brings its binary along; 12 is the last one for Node 20. */
const driverFor = (major) => major >= 22 ? CURRENT : NODE_20;
/** An optional peer may be any version that is there: 13 ends the process of Node 20 without a word. */
function refuseNewer(load) {
	const { version } = load("better-sqlite3/package.json");
	if (Number(version.split(".")[0]) < 13) return;
	throw new InspectorError("unsupported", `better-sqlite3 ${version} does not run on Node 20.`, { remedy: remedy(installCommand(NODE_20, import.meta.url), NODE_20) });
}
/** @throws InspectorError unsupported, naming the command that installs the driver */
function loadDriver(load = require) {
	const driver = driverFor(nodeMajor);
	try {
		return driver.load(load);
	} catch (cause) {
		if (InspectorError.is(cause)) throw cause;
		throw missingDriver(cause, driver);
	}
}
/** The driver is absent, or its compiled part is: each has its own command. */
function missingDriver(cause, driver = driverFor(nodeMajor), where = import.meta.url) {
	const node = `Node ${process.versions.node}`;
	const uncompiled = driver.compiled && !isAbsent(cause);
	const message = uncompiled ? `The SQLite driver ${driver.name} is installed but not compiled for ${node}.` : `The SQLite driver ${driver.name} is not installed for ${node}.`;
	const command = uncompiled ? rebuildCommand(driver, where) : installCommand(driver, where);
	return new InspectorError("unsupported", message, {
		cause,
		remedy: remedy(command, driver)
	});
}
const isAbsent = (cause) => cause instanceof Error && "code" in cause && cause.code === "MODULE_NOT_FOUND";
const remedy = (command, driver) => driver.compiled ? `Run: ${command} (or use Node 22 or newer, where nothing is compiled)` : `Run: ${command}`;
function wayOf(where) {
	const path = (where.startsWith("file:") ? fileURLToPath(where) : where).replaceAll("\\", "/");
	const folder = path.split("/node_modules/")[0] ?? "";
	if (path.includes("/_npx/")) return {
		kind: "npx",
		folder
	};
	if (path.includes("/node_modules/.pnpm/")) return { kind: "pnpm" };
	return { kind: /\/(?:lib|npm)\/node_modules\/checkpoint-inspector\//.test(path) && !existsSync(join(folder, "package.json")) ? "global" : "npm" };
}
/** The command that adds a driver; it allows the install script where the driver has one. */
function installCommand({ name, spec, compiled }, where) {
	const scripts = compiled ? " --ignore-scripts=false" : "";
	const way = wayOf(where);
	if (way.kind === "npx") return `npx${scripts} -p checkpoint-inspector -p ${spec} checkpoint-inspector`;
	if (way.kind === "pnpm") return `pnpm add ${spec}${compiled ? ` --allow-build=${name}` : ""}`;
	return `npm install ${way.kind === "global" ? "-g " : ""}${spec}${scripts}`;
}
/** The command that compiles a driver whose install script did not run, or ran on another Node. */
function rebuildCommand(driver, where) {
	const { name } = driver;
	const way = wayOf(where);
	const rebuild = `npm rebuild ${name} --ignore-scripts=false`;
	if (way.kind === "npx") return `${rebuild} --prefix "${way.folder}"`;
	if (way.kind === "pnpm") return `${installCommand(driver, where)} && pnpm rebuild ${name}`;
	return way.kind === "global" ? `${rebuild} -g` : rebuild;
}
// ../io/src/sqlite/errors.ts
const CODES = [
	[
		/^SQLITE_(BUSY|LOCKED)/,
		"busy",
		"another process is using the database"
	],
	[
		/^SQLITE_NOTADB/,
		"unreadable",
		"this isn't a SQLite database, or it is encrypted"
	],
	[
		/^SQLITE_CORRUPT/,
		"unreadable",
		"the SQLite database is damaged"
	],
	[
		/^SQLITE_IOERR/,
		"unreadable",
		"the disk failed while the database was in use"
	],
	[
		/^SQLITE_FULL/,
		"disk_full",
		"the disk is full"
	],
	[
		/^SQLITE_CANTOPEN/,
		"unreadable",
		"the database can't be opened"
	],
	[
		/^SQLITE_READONLY/,
		"read_only",
		"the database is open read-only"
	],
	[
		/^SQLITE_TOOBIG/,
		"too_large",
		"a value is larger than SQLite allows"
	]
];
/** A driver's error as an InspectorError; errors of other kinds become `internal`, InspectorErrors pass. */
function sqliteError(error, path) {
	if (InspectorError.is(error)) return error;
	const code = sqliteCode(error);
	const known = CODES.find(([pattern]) => pattern.test(code));
	const message = error instanceof Error ? error.message : String(error);
	if (known) return new InspectorError(known[1], `${basename(path)}: ${known[2]} (${message}).`, {
		cause: error,
		data: {
			path,
			sqlite: code
		}
	});
	if (/bindings|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED/.test(`${code} ${message}`)) return missingDriver(error);
	return new InspectorError("internal", `SQLite: ${message}`, {
		cause: error,
		data: {
			path,
			sqlite: code
		}
	});
}
/** `SQLITE_…`, or the empty string for anything else. */
function sqliteCode(error) {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
/** A failed file operation on a database: `no_store` for a missing file, else `unreadable`. */
function openError(cause, path) {
	if (InspectorError.is(cause)) return cause;
	const code = cause instanceof Error && "code" in cause ? cause.code : void 0;
	if (code === "ENOENT" || code === "ENOTDIR") return new InspectorError("no_store", `There is no file ${path}.`, {
		cause,
		data: { path }
	});
	return new InspectorError("unreadable", `${path} can't be read (${String(code ?? cause)}).`, {
		cause,
		data: { path }
	});
}
// ../io/src/sqlite/snapshot.ts
const PARTS = [
	"",
	"-wal",
	"-journal"
];
/** With the process id behind it. */
const PREFIX = "checkpoint-inspector-copy-";
const ATTEMPTS = 5;
const folders = /* @__PURE__ */ new Set();
process.once("exit", () => folders.forEach(removeSnapshot));
/** The path of a copy in a new private folder; made again while the original changes. @throws InspectorError busy */
function copyDatabase(path) {
	sweepCopies();
	const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
	folders.add(folder);
	const copy = join(folder, "copy.sqlite");
	try {
		for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
			const before = fileSignature(path);
			copyParts(path, copy);
			if (fileSignature(path) === before) return copy;
		}
		throw new InspectorError("busy", "The database changed during every attempt to copy it.", { data: { path } });
	} catch (error) {
		removeSnapshot(folder);
		throw error;
	}
}
/** A process that was killed leaves its copies behind: the next one that makes a copy takes them away. */
function sweepCopies() {
	for (const name of readdirSync(tmpdir())) {
		const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
		if (pid === void 0 || isRunning(Number(pid))) continue;
		try {
			rmSync(join(tmpdir(), name), {
				recursive: true,
				force: true
			});
		} catch {}
	}
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
/** Runs as a program of its own, without anything of ours: from, to, and the endings of the files. */
const COPY$1 = `
const { chmodSync, copyFileSync, constants, existsSync, rmSync } = require('node:fs');
const [from, to, ...parts] = process.argv.slice(1);
for (const part of parts) {
  rmSync(to + part, { force: true });
  if (!existsSync(from + part)) continue;
  copyFileSync(from + part, to + part, constants.COPYFILE_FICLONE);
  chmodSync(to + part, 0o600);
}`;
/** In another process: closing the file here would drop the locks of all our connections to it. */
function copyParts(from, to) {
	const done = spawnSync(process.execPath, [
		"-e",
		COPY$1,
		"--",
		from,
		to,
		...PARTS
	], { encoding: "utf8" });
	if (done.status === 0) return;
	const why = done.error?.message ?? done.stderr.trim().split("\n").find((line) => line.includes("Error")) ?? "";
	throw new InspectorError(why.includes("ENOSPC") ? "disk_full" : "unreadable", `A private copy of ${from} couldn't be made. ${why}`, {
		data: { path: from },
		...done.error ? { cause: done.error } : {}
	});
}
function removeSnapshot(folder) {
	rmSync(folder, {
		recursive: true,
		force: true
	});
	folders.delete(folder);
}
/** Identity, size and time of the database and its log; another value means that something was written. */
function fileSignature(path) {
	return PARTS.map((part) => {
		const stat = statSync(path + part, {
			bigint: true,
			throwIfNoEntry: false
		});
		return stat === void 0 ? "-" : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
	}).join(" ");
}
/** Device and inode; `undefined` while there is no such file. */
function fileIdentity(path) {
	const stat = statSync(path, {
		bigint: true,
		throwIfNoEntry: false
	});
	return stat === void 0 ? void 0 : `${stat.dev}:${stat.ino}`;
}
// ../io/src/sqlite/open.ts
const IN_MEMORY = ":memory:";
/**
* Opens a SQLite file; `:memory:` is a database that no file holds. Reading never checkpoints, migrates or writes to the database; a database in WAL mode gets
* SQLite's two side files, and where those cannot be made a private copy is opened (`snapshot` is set).
* @throws InspectorError no_store | unreadable | busy | disk_full | unsupported (driver missing)
*/
function openSqlite(path, options) {
	const readOnly = options.readOnly;
	if (path !== IN_MEMORY) ensureFile(path, !readOnly && options.create === true);
	const timeout = options.busyTimeoutMs ?? (readOnly ? 2e3 : 5e3);
	try {
		return wrap(connect$1(path, readOnly, timeout), path);
	} catch (error) {
		if (!readOnly || !needsCopy(error)) throw sqliteError(error, path);
		return openCopy(path, timeout, sqliteCode(error));
	}
}
function ensureFile(path, create) {
	try {
		if (create) closeSync(openSync(path, "wx", 384));
	} catch (cause) {
		if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw openError(cause, path);
	}
	try {
		if (statSync(path).isFile()) return;
	} catch (cause) {
		throw openError(cause, path);
	}
	throw new InspectorError("unreadable", `${path} isn't a file.`, { data: { path } });
}
/** The side files of a log cannot be made, or the log needs a recovery that a reader must not do. */
function needsCopy(error) {
	return /^SQLITE_(CANTOPEN|READONLY)/.test(sqliteCode(error));
}
/** @throws the driver's own error */
function connect$1(path, readOnly, timeout) {
	const database = new (loadDriver())(path, {
		readonly: readOnly,
		fileMustExist: true,
		timeout
	});
	noteConnection(path, database);
	try {
		database.pragma("schema_version");
		database.prepare("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}
/** The copy is ours: it is opened for writing, so that SQLite can bring its log in. */
function openCopy(path, timeout, reason) {
	const copy = copyDatabase(path);
	const folder = dirname(copy);
	try {
		connect$1(copy, false, timeout).close();
		const note = `A private copy in ${folder}, because SQLite's side files can't be created next to the original (${reason}).`;
		return wrap(connect$1(copy, true, timeout), path, {
			note,
			remove: () => removeSnapshot(folder)
		});
	} catch (error) {
		removeSnapshot(folder);
		throw sqliteError(error, path);
	}
}
function wrap(database, path, snapshot) {
	const guard = (work) => {
		try {
			return work();
		} catch (error) {
			throw sqliteError(error, path);
		}
	};
	return {
		path,
		...snapshot === void 0 ? {} : { snapshot: snapshot.note },
		prepare: (sql, options) => guard(() => {
			const statement = database.prepare(sql);
			if (options?.safeIntegers === true) statement.safeIntegers(true);
			if (options?.arrays === true) statement.raw(true);
			return {
				all: (...parameters) => guard(() => statement.all(...parameters)),
				get: (...parameters) => guard(() => statement.get(...parameters)),
				run: (...parameters) => guard(() => statement.run(...parameters)),
				iterate: (...parameters) => guarded(() => statement.iterate(...parameters), path)
			};
		}),
		exec: (sql) => void guard(() => database.exec(sql)),
		transaction: (work) => transact(database, work, path),
		pragma: (text) => guard(() => database.pragma(text, { simple: true })),
		close: () => {
			database.close();
			snapshot?.remove();
		}
	};
}
/** Errors of `work` pass as they are; only SQLite's own are translated. */
function transact(database, work, path) {
	try {
		return database.transaction(work).immediate();
	} catch (error) {
		throw sqliteCode(error).startsWith("SQLITE_") ? sqliteError(error, path) : error;
	}
}
function* guarded(rows, path) {
	try {
		yield* rows();
	} catch (error) {
		throw sqliteError(error, path);
	}
}
// ../io/src/sqlite/columns.ts
/** SQLite writes this for tables that hold their rows. A view or virtual table may run a query that never ends. */
const ORDINARY = "type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE %'";
/** Stored columns of an ordinary table in their order; empty when there is none. Reads the schema only. */
function tableColumns(database, table) {
	const sql = `SELECT name FROM pragma_table_info(@table)
    WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = @table COLLATE NOCASE AND ${ORDINARY}) ORDER BY cid`;
	return database.prepare(sql).all({ table }).map((row) => row.name);
}
// ../io/src/sqlite/follow.ts
/** @example const follow = followSqlite('/data/checkpoints.sqlite'); follow.current().prepare('SELECT 1').get() */
function followSqlite(path) {
	let open;
	const look = (copied) => copied ? fileSignature(path) : fileIdentity(path);
	let closed = false;
	const close = () => {
		open?.database.close();
		open = void 0;
	};
	return {
		current: () => {
			if (closed) throw new InspectorError("no_store", "The store was closed.", { data: { path } });
			if (open && open.seen === look(open.database.snapshot !== void 0)) return open.database;
			close();
			const database = openSqlite(path, { readOnly: true });
			open = {
				database,
				seen: look(database.snapshot !== void 0)
			};
			return database;
		},
		close: () => {
			closed = true;
			close();
		}
	};
}
// ../io/src/sqlite/watch.ts
/**
* Calls `onChange` after another connection committed, and when the file was replaced, moved, removed or came back.
* Polls `PRAGMA data_version` on its own read-only connection, every 500 ms unless told otherwise. Does not keep the process alive.
* Source: https://www.sqlite.org/pragma.html#pragma_data_version
*/
function watchSqlite(path, onChange, options = {}) {
	let seen = fileIdentity(path);
	let probe = openProbe(path);
	let version = probe?.version();
	const timer = setInterval(() => {
		const now = fileIdentity(path);
		if (now !== seen || probe === void 0) {
			const replaced = now !== seen;
			probe?.close();
			probe = now === void 0 ? void 0 : openProbe(path);
			version = probe?.version();
			if (replaced || probe !== void 0) onChange();
			seen = now;
			return;
		}
		const current = probe.version();
		if (current === void 0 || current === version) return;
		version = current;
		onChange();
	}, options.pollMs ?? 500);
	timer.unref();
	return () => {
		clearInterval(timer);
		probe?.close();
		probe = void 0;
	};
}
function openProbe(path) {
	try {
		const database = connect$1(path, true, 0);
		const statement = database.prepare("PRAGMA data_version");
		return {
			version: () => readVersion(statement),
			close: () => database.close()
		};
	} catch (error) {
		return needsCopy(error) ? {
			version: () => fileSignature(path),
			close: () => void 0
		} : void 0;
	}
}
function readVersion(statement) {
	try {
		return String(statement.get()?.data_version);
	} catch {
		return;
	}
}
// ../io/src/sqlite/values.ts
/** The driver takes rows of up to 512 MiB less 24 bytes, the longest text of JavaScript; some is left for SQLite's own. */
const MAX_ROW_BYTES = 536869888;
/** Before a save: the driver's own refusal names no size and has no code. `stateBytes`: a state beside the row. @throws InspectorError too_large */
function assertRowFits(row, maxBytes = MAX_ROW_BYTES, stateBytes = 0) {
	let size = stateBytes;
	for (const value of Object.values(row)) size += sizeOf(value);
	if (size <= maxBytes) return;
	throw new InspectorError("too_large", `The checkpoint is ${size} bytes; the limit is ${maxBytes}.`, { data: {
		size,
		maxBytes
	} });
}
function sizeOf(value) {
	if (typeof value === "string") return Buffer.byteLength(value);
	return value instanceof Uint8Array ? value.length : 8;
}
/** True for a database of our own store, of any format. */
function isOurs(db) {
	if (!tableColumns(db, "store_meta").includes("k")) return false;
	return tableColumns(db, "checkpoints").includes("state_hash") && metaText(db, "product") === "checkpoint-inspector";
}
/** True for a database of our own store whose states are nodes. */
const hasNodes = (db) => isOurs(db) && metaNumber(db, "format") === 2;
/** What the store says of itself. */
const metaText = (db, key) => prepared(db, "SELECT v FROM store_meta WHERE k = ?").get(key)?.v;
const metaNumber = (db, key) => Number(metaText(db, key) ?? 0);
// ../io/src/nodes/collect.ts
const BATCH = 2e3;
/** A node without references marks nothing, so its body isn't read. */
const REFERRING = "SELECT body FROM nodes WHERE id IN (SELECT value FROM json_each(?)) AND instr(body, char(31)) > 0";
const ADD = "UPDATE store_meta SET v = CAST(v AS INTEGER) + ? WHERE k = ?";
/** Fewer removals are never worth a collection within a save. */
const LEAST = 50;
/** Counts checkpoints that are gone or replaced since the last collection; how many there are now. */
function countRemoved(db, more) {
	if (more > 0) prepared(db, ADD).run(more, "removed");
	return metaNumber(db, "removed");
}
/** After a removal that somebody asked for: collects once a tenth of what is there has gone. */
function collectAfterRemoval(db, more) {
	const removed = countRemoved(db, more);
	if (removed > 0 && atMost(db, removed * 10)) collectNodes(db);
}
/** After a save that evicted or replaced: rarely enough that the saves between pay for it. */
function collectAfterSave(db, more) {
	if (more === 0) return;
	const removed = countRemoved(db, more);
	if (Math.floor(removed / LEAST) > Math.floor((removed - more) / LEAST) && atMost(db, removed)) collectNodes(db);
}
/** True where the store has no more checkpoints than that. */
const atMost = (db, count) => prepared(db, "SELECT 1 FROM checkpoints LIMIT 1 OFFSET ?").get(count) === void 0;
/**
* Removes the nodes and texts that no checkpoint refers to, in the caller's transaction. Other writers see the new
* epoch and forget the states that they know.
*/
function collectNodes(db) {
	const live = marked(db);
	const dead = prepared(db, "SELECT id FROM nodes", true).all().flatMap(([id]) => live.has(id) ? [] : [id]);
	const remove = prepared(db, "DELETE FROM nodes WHERE id IN (SELECT value FROM json_each(?))");
	for (const ids of batches(dead)) remove.run(JSON.stringify(ids));
	prepared(db, "DELETE FROM texts WHERE id NOT IN (SELECT whole FROM checkpoints WHERE whole IS NOT NULL)").run();
	prepared(db, ADD).run(1, "gc_epoch");
	prepared(db, "UPDATE store_meta SET v = '0' WHERE k = 'removed'").run();
}
/** Everything that can be reached from a checkpoint. */
function marked(db) {
	const live = /* @__PURE__ */ new Set();
	let wanted = prepared(db, "SELECT DISTINCT root FROM checkpoints", true).all().map(([root]) => root);
	while (wanted.length > 0) {
		for (const id of wanted) live.add(id);
		const next = /* @__PURE__ */ new Set();
		for (const ids of batches(wanted)) for (const [body] of prepared(db, REFERRING, true).all(JSON.stringify(ids))) for (const ref of refsIn(body)) if (!live.has(ref)) next.add(ref);
		wanted = [...next];
	}
	return live;
}
function* batches(ids) {
	for (let at = 0; at < ids.length; at += BATCH) yield ids.slice(at, at + BATCH);
}
// ../io/src/nodes/share-text.ts
/**
* Writes what a text has more than the state before it. In the caller's transaction. A text that isn't JSON, which
* nothing saves but a row may have been changed to, is kept whole.
*/
function shareText(db, text, before) {
	const read = valuesIn$1(text);
	const values = read === void 0 ? null : read.values;
	return shareValues(db, {
		text,
		bytes: Buffer.byteLength(text),
		values,
		isJson: read !== void 0
	}, before);
}
function shareValues(db, { text, bytes, values, isJson }, before) {
	const { state, fresh } = share(values, {
		hash: sha256Text,
		before
	});
	writeNodes(db, fresh);
	const isCompact = isJson && state.bytes === bytes;
	return {
		state,
		root: state.node.id,
		whole: isCompact ? null : writeWhole(db, text)
	};
}
function valuesIn$1(text) {
	try {
		return { values: valuesOf(text) };
	} catch (error) {
		if (InspectorError.is(error) && error.code === "unreadable") return void 0;
		throw error;
	}
}
// ../io/src/postgres/locks.ts
/**
* Advisory locks that our own stores and all inspectors take in a transaction: of a task, whose writers share the lock of
* the store, or of the whole store. 64 bits of a hash; advisory locks belong to one database already.
*/
const storeLock = (schema) => key("store", schema);
const taskLock = (schema, task) => key("task", schema, task);
function key(...parts) {
	const hash = createHash("sha256").update(JSON.stringify(["checkpoint-inspector", ...parts]));
	return String(hash.digest().readBigInt64BE());
}
// ../io/src/postgres/values.ts
const BOOL = 16;
const BYTEA = 17;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;
const bytes = (text) => Buffer.from(text.slice(2), "hex");
/** A number only where it holds every digit; int8, numeric, json, times and lists stay the text that they are. */
const READABLE = /* @__PURE__ */ new Map([
	[BOOL, (text) => text === "t"],
	[BYTEA, bytes],
	[INT2, Number],
	[INT4, Number],
	[FLOAT4, Number],
	[FLOAT8, Number]
]);
const asWritten = (text) => text;
/** How the driver reads columns. */
const READABLE_TYPES = { getTypeParser: (oid) => READABLE.get(oid) ?? asWritten };
/** Everything as the server writes it, so that it can be written back without loss. */
const STORED_TYPES = { getTypeParser: (oid) => oid === BYTEA ? bytes : asWritten };
/** What the driver is given: it knows no bigint of its own, and bytes only as a Buffer. */
function parameter(value) {
	if (typeof value === "bigint") return String(value);
	if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
	return value;
}
/** An identifier that cannot be read as anything else. */
function quotedName(name) {
	return `"${name.replaceAll("\"", "\"\"")}"`;
}
/** A text as SQL. */
function quotedText(text) {
	return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
Object.values(KIND);
// ../io/src/postgres/address.ts
/** Takes the password out of a text of the driver or the server. */
function withoutSecrets(text, { secrets }) {
	return secrets.reduce((rest, secret) => rest.replaceAll(secret, "•••"), text);
}
// ../io/src/postgres/errors.ts
const CERTIFICATE = {
	code: "unreadable",
	words: "the server's certificate isn't trusted",
	remedy: "Name its authority in the address with sslrootcert=<file>, or skip the check with sslmode=no-verify."
};
const AGAIN = "The connection is made again by itself: try again in a moment.";
/** By SQLSTATE, or by the errno of the socket. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MEANINGS = [
	[/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT|ETIMEDOUT)$/, {
		code: "busy",
		words: "the server doesn't answer",
		remedy: "Check the host and the port, and that the server is running."
	}],
	[/^28/, {
		code: "wrong_key",
		words: "the server refused to sign in",
		remedy: "Check the user and password of the address."
	}],
	[/^3D000$/, {
		code: "no_store",
		words: "the database doesn't exist",
		remedy: "Check the name at the end of the address."
	}],
	[/^53300$/, {
		code: "busy",
		words: "the server has no connection left"
	}],
	[/^53100$/, {
		code: "disk_full",
		words: "the server's disk is full"
	}],
	[/^(08|57P0|ECONNRESET$|EPIPE$)/, {
		code: "busy",
		words: "the connection was lost",
		remedy: AGAIN
	}],
	[/^57014$/, {
		code: "busy",
		words: "the answer took too long",
		remedy: "Try again when the server is less busy."
	}],
	[/^(55P03|40)/, {
		code: "busy",
		words: "another process is changing the same rows"
	}],
	[/^25006$/, {
		code: "read_only",
		words: "the database is open read-only",
		remedy: "Open the primary server."
	}],
	[/^42501$/, {
		code: "unreadable",
		words: "this user isn't allowed to do that",
		remedy: "Grant this user the privileges."
	}],
	[/^(42P01|42703|42883|3F000)$/, {
		code: "unreadable",
		words: "the tables have another layout"
	}],
	[/^(XX001|XX002)$/, {
		code: "unreadable",
		words: "the data on the server is damaged"
	}],
	[/CERT|^UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^EPROTO$/, CERTIFICATE],
	[/^23/, {
		code: "changed",
		words: "a rule of the table forbids that"
	}]
];
/** The driver has no code for these. */
const LOST = {
	code: "busy",
	words: "the connection was lost",
	remedy: AGAIN
};
const PLAIN$1 = {
	code: "unreadable",
	words: "the server doesn't encrypt connections",
	remedy: "Leave sslmode out of the address, or set it to disable."
};
const SLOW = {
	code: "busy",
	words: "no connection was free in time"
};
/** The driver's or the server's error as an InspectorError, without the password. InspectorErrors pass. */
function postgresError(error, address) {
	if (InspectorError.is(error)) return error;
	const state = stateOf$1(error);
	const text = withoutSecrets(messageOf(error), address);
	const meaning = meaningOf(error, state);
	const data = {
		address: address.shown,
		...state === "" ? {} : { postgres: state }
	};
	if (!meaning) return new InspectorError("internal", `PostgreSQL: ${text}`, {
		cause: error,
		data
	});
	const remedy = meaning.remedy === void 0 ? {} : { remedy: meaning.remedy };
	return new InspectorError(meaning.code, `${address.shown}: ${meaning.words} (${text}).`, {
		cause: error,
		data,
		...remedy
	});
}
/** The server ended the connection, or it broke: a new one may do. */
function isLost(error) {
	const meaning = meaningOf(error, stateOf$1(error));
	return meaning !== void 0 && meaning.words === LOST.words;
}
/** SQLSTATE or errno; the empty string for anything else. */
function stateOf$1(error) {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
function meaningOf(error, state) {
	const message = messageOf(error);
	if (state === "" && /^Connection terminated|not queryable|Client was closed/.test(message)) return LOST;
	if (state === "" && /does not support SSL/.test(message)) return PLAIN$1;
	if (state === "" && /^timeout expired|timeout exceeded/.test(message)) return SLOW;
	return MEANINGS.find(([pattern]) => pattern.test(state))?.[1];
}
/** A host with several addresses fails with one error for each. */
function messageOf(error) {
	if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
	return error instanceof Error ? error.message : String(error);
}
// ../io/src/postgres/places.ts
const open$1 = /* @__PURE__ */ new Map();
/** @throws InspectorError no_store while nobody has it open */
function placeAt(identity) {
	const place = open$1.get(identity)?.at(-1);
	if (place) return place;
	throw new InspectorError("no_store", "The database of this change isn't open.", {
		remedy: "Open it by its address, then try again.",
		data: { place: identity }
	});
}
// ../io/src/postgres/settings.ts
/** What every transaction sets for itself: where names are looked up, how long it may take, and how values are written. */
function settings(schema, statementMs) {
	const values = {
		statement_timeout: String(statementMs),
		idle_in_transaction_session_timeout: String(2 * statementMs),
		timezone: "UTC",
		datestyle: "ISO",
		intervalstyle: "postgres",
		bytea_output: "hex",
		extra_float_digits: "1"
	};
	const local = Object.entries(values).map(([name, value]) => `SET LOCAL ${name} = ${quotedText(value)}`);
	return [`SET LOCAL search_path = ${quotedName(schema)}`, ...local].join("; ");
}
// ../io/src/postgres/bound.ts
/** A type and the length of what follows, itself included. Source: https://www.postgresql.org/docs/current/protocol-overview.html */
const HEAD = 5;
/**
* Ends a connection that announces a row longer than the longest text there is: the driver would gather all of it and then
* throw where nobody catches. Reads the lengths only. The stream has to be between two messages.
*/
function boundMessages(stream, maxBytes = constants$1.MAX_STRING_LENGTH) {
	const head = Buffer.alloc(HEAD);
	let filled = 0;
	let rest = 0;
	stream.prependListener("data", (part) => {
		let at = 0;
		while (at < part.length) {
			const skipped = Math.min(rest, part.length - at);
			rest -= skipped;
			at += skipped;
			const copied = part.copy(head, filled, at, at + HEAD - filled);
			filled += copied;
			at += copied;
			if (filled < HEAD) continue;
			filled = 0;
			const length = head.readUInt32BE(1);
			rest = Math.max(0, length - 4);
			if (length > maxBytes) return void stream.destroy(tooLarge(length, maxBytes));
		}
	});
}
function tooLarge(size, maxBytes) {
	return new InspectorError("too_large", `A row of ${size} bytes can't be read; the limit is ${maxBytes}.`, {
		remedy: "Look at the row with a tool of the database.",
		data: {
			size,
			maxBytes
		}
	});
}
// ../io/src/postgres/pool.ts
/** Few: a team's database serves its agents first. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 1e4;
const IDLE_MS = 1e4;
const shared = /* @__PURE__ */ new Map();
/** Of a pool that a program has made for itself and ends itself. */
function connectionsOf(pool, address) {
	return {
		use: using(pool, address),
		close: async () => void 0
	};
}
function using(pool, address) {
	return async (begin, work) => {
		try {
			const { client, results } = await begun(pool, begin);
			return await given(client, () => work(client, results));
		} catch (error) {
			throw postgresError(error, address);
		}
	};
}
/** The driver is loaded by the first database that is opened. Nothing is connected yet. */
async function connections(address) {
	const key = address.url;
	const made = shared.get(key) ?? makeShared(key);
	shared.set(key, made);
	const { pool } = await made.then((one) => {
		one.users++;
		return one;
	});
	let closed = false;
	const use = using(pool, address);
	return {
		use: async (begin, work) => {
			if (closed) throw new InspectorError("no_store", "The store was closed.", { data: { address: address.shown } });
			return use(begin, work);
		},
		close: async () => {
			if (closed) return;
			closed = true;
			await release(key);
		}
	};
}
const ignore = () => void 0;
async function makeShared(url) {
	const { default: pg } = await import("pg");
	const pool = new pg.Pool({
		connectionString: url,
		application_name: "checkpoint-inspector",
		max: MAX_CONNECTIONS,
		connectionTimeoutMillis: CONNECT_MS,
		idleTimeoutMillis: IDLE_MS,
		allowExitOnIdle: true,
		keepAlive: true,
		types: READABLE_TYPES
	});
	pool.on("error", ignore);
	pool.on("connect", (client) => boundMessages(client.connection.stream));
	return {
		pool,
		users: 0
	};
}
async function release(key) {
	const known = await shared.get(key);
	if (!known || --known.users > 0) return;
	shared.delete(key);
	await known.pool.end();
}
async function begun(pool, begin) {
	try {
		return await begunOnce(pool, begin);
	} catch (error) {
		if (!isLost(error)) throw error;
		return begunOnce(pool, begin);
	}
}
async function begunOnce(pool, begin) {
	const client = await pool.connect();
	if (client.listenerCount("error") === 0) client.on("error", ignore);
	try {
		return {
			client,
			results: [await client.query({
				text: begin,
				types: READABLE_TYPES
			})].flat()
		};
	} catch (error) {
		client.release(true);
		throw error;
	}
}
async function given(client, work) {
	let failed = true;
	try {
		const result = await work();
		failed = false;
		return result;
	} finally {
		client.release(failed);
	}
}
// ../io/src/postgres/target.ts
/** Nothing is connected yet. */
const connect = ({ address, pool }) => pool === void 0 ? connections(address) : Promise.resolve(connectionsOf(pool, address));
// ../io/src/engines/executor.ts
/** Engines by name. */
function createExecutors(list) {
	const known = new Map(list.map((executor) => [executor.engine, executor]));
	return { get(engine) {
		const executor = known.get(engine);
		if (executor) return executor;
		throw new InspectorError("unsupported", `There is no engine called "${engine}".`, { data: { engine } });
	} };
}
function sideOf(before, after) {
	if (before && after) return "both";
	if (before) return "before";
	return after ? "after" : "neither";
}
/** The images that a change was cut off before: none of it happened. */
function nothingDone(images) {
	return {
		outcome: "rolled-back",
		skipped: images.map((_, index) => index),
		failed: [],
		done: []
	};
}
// ../io/src/engines/shape.ts
/** Reads what comes back as `unknown`: the steps of a job, and the images that a journal has kept. */
const isText = (value) => typeof value === "string";
const isCount = (value) => Number.isSafeInteger(value);
const isBytes = (value) => value instanceof Uint8Array;
const isWhole = (value) => typeof value === "bigint";
/** A whole number as text: JSON has none of 64 bits. */
const isWholeText = (value) => typeof value === "string" && /^-?\d{1,20}$/.test(value);
function isOne(wanted) {
	return (value) => value === wanted;
}
function optional(is) {
	return (value) => value === void 0 || is(value);
}
function listOf(is) {
	return (value) => Array.isArray(value) && value.every(is);
}
function mapOf(is) {
	return (value) => isObject(value) && Object.values(value).every(is);
}
/** An object that has at least these members. */
function has$1(members) {
	const checks = Object.entries(members);
	return (value) => isObject(value) && checks.every(([name, is]) => is(value[name]));
}
function isObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
/** @throws InspectorError internal when another engine's steps were given */
function stepsOf(engine, is, steps) {
	if (is(steps)) return steps;
	throw new InspectorError("internal", `The steps of this job are not for the engine "${engine}".`);
}
/** @throws InspectorError unreadable */
function marksOf(is, marks) {
	return marks.map((mark) => {
		if (is(mark)) return mark;
		throw new InspectorError("unreadable", "A before-image in the journal is damaged, or a newer version wrote it.");
	});
}
/** @throws InspectorError unreadable */
function imagesOf(is, images) {
	return marksOf(is, images.map(({ mark }) => mark)).map((mark, index) => {
		const content = images[index]?.content;
		return content ? {
			mark,
			content
		} : { mark };
	});
}
// ../io/src/engines/files/names.ts
const FORBIDDEN = process.platform === "win32" ? /[/\\:\0]/ : /[/\0]/;
/** A file of `folder`, which is a real path; the name is one path segment. @throws InspectorError invalid_input */
function pathIn(folder, name) {
	if (name === "" || name === "." || name === ".." || FORBIDDEN.test(name)) throw new InspectorError("invalid_input", `"${name}" isn't a file name. Use a single path segment.`, { data: { name } });
	return join(folder, name);
}
/** The folder without links. @throws InspectorError no_store */
async function realFolder(folder) {
	const path = await realpath(folder).catch((cause) => {
		throw new InspectorError("no_store", `There is no folder ${folder}.`, {
			cause,
			data: { path: folder }
		});
	});
	if ((await lstat(path)).isDirectory()) return path;
	throw new InspectorError("no_store", `${folder} isn't a folder.`, { data: { path: folder } });
}
/** True if anything is under this name, a dangling link included. */
async function exists(path) {
	try {
		await lstat(path);
		return true;
	} catch (error) {
		if (errnoOf(error) === "ENOENT") return false;
		throw fileError(error, path);
	}
}
/** Makes renames and removals in a folder durable. */
async function syncFolder(folder) {
	if (process.platform === "win32") return;
	const handle = await open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
/** A failed change of a file: EEXIST is `changed`, a missing permission `unsupported`, the rest as in reading. */
function changeError(cause, path) {
	if (InspectorError.is(cause)) return cause;
	const errno = errnoOf(cause);
	const data = { path };
	if (errno === "EEXIST") return new InspectorError("changed", `"${path}" already exists and won't be overwritten.`, {
		cause,
		data
	});
	if (errno === "EACCES" || errno === "EPERM" || errno === "EROFS") return new InspectorError("unsupported", `"${path}" can't be changed by this user (${errno}).`, {
		cause,
		data,
		remedy: "Give yourself write permission for the folder and try again."
	});
	return fileError(cause, path);
}
// ../io/src/engines/files/atomic-write.ts
/** Link is unknown to FAT and to some network disks. */
const NO_LINKS = /* @__PURE__ */ new Set([
	"EPERM",
	"ENOTSUP",
	"EOPNOTSUPP",
	"ENOSYS",
	"EMLINK"
]);
/** Every temporary file of this program in a store's folder is named like this. */
function tempName(tag, step) {
	return `.checkpoint-inspector-${tag}-${step}.tmp`;
}
/**
* Creates one file: it is there whole and durable, or not at all. An existing file is not overwritten, unless told to.
* Without `like` and `stat` its mode is 0600.
* @throws InspectorError changed (the name is taken) | disk_full | invalid_input (no single path segment) | unsupported
*/
async function atomicWrite(folder, name, bytes, options = {}) {
	const home = await realFolder(folder);
	const path = pathIn(home, name);
	const temp = pathIn(home, options.temp ?? tempName(randomBytes(8).toString("hex"), "w"));
	try {
		await writeTemp(temp, bytes, options.stat ?? (options.like === void 0 ? void 0 : await ownerOf(pathIn(home, options.like))), options.stat?.mtimeNs);
		await options.beforeLink?.();
		await (options.replace ? replaceName(temp, path) : takeName(temp, path));
		await syncFolder(home);
	} catch (error) {
		throw changeError(error, path);
	}
}
async function replaceName(temp, path) {
	try {
		await rename(temp, path);
	} catch (error) {
		await unlink(temp);
		throw error;
	}
}
async function ownerOf(path) {
	const stat = await lstat(path);
	if (stat.isFile()) return stat;
	throw new InspectorError("unreadable", `"${path}" isn't a regular file.`, { data: { path } });
}
/** Leaves no file behind when it fails. */
async function writeTemp(temp, bytes, owner, mtimeNs) {
	const handle = await open(temp, "wx", 384);
	try {
		await handle.writeFile(bytes);
		if (owner) await setOwner(handle, owner);
		if (mtimeNs !== void 0) await setTime(handle, mtimeNs);
		await handle.sync();
	} catch (error) {
		await unlink(temp);
		throw error;
	} finally {
		await handle.close();
	}
}
/** Half a microsecond more: Node cuts the seconds off to whole microseconds, and doubles fall a little short. */
async function setTime(handle, mtimeNs) {
	await handle.utimes(/* @__PURE__ */ new Date(), (Number(mtimeNs / 1000n) + .5) / 1e6);
}
/** The owner first: changing it clears bits of the mode. Only root may give a file away; others keep their own. */
async function setOwner(handle, owner) {
	const now = await handle.stat();
	if (now.uid !== owner.uid || now.gid !== owner.gid) await handle.chown(owner.uid, owner.gid).catch((error) => {
		if (errnoOf(error) !== "EPERM") throw error;
	});
	await handle.chmod(owner.mode & 4095);
}
/** Gives the temporary file its name, unless that is taken; the temporary name is gone afterwards in every case. */
async function takeName(temp, path) {
	try {
		await link(temp, path);
	} catch (error) {
		if (NO_LINKS.has(errnoOf(error) ?? "") && !await exists(path)) return rename(temp, path);
		await unlink(temp);
		throw error;
	}
	await unlink(temp);
}
// ../io/src/engines/files/disk.ts
/** A regular file with its mode, owner and time; never through a link. @throws the errno, or InspectorError unreadable */
async function readExact(path) {
	const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	const stat = await handle.stat({ bigint: true }).catch(() => void 0);
	try {
		if (!stat?.isFile()) throw new InspectorError("unreadable", `"${path}" isn't a regular file.`, { data: { path } });
		const bytes = await handle.readFile();
		const { mtimeNs } = stat;
		const owner = {
			mode: Number(stat.mode) & 4095,
			uid: Number(stat.uid),
			gid: Number(stat.gid)
		};
		return {
			bytes,
			sha256: sha256(bytes),
			stat: {
				...owner,
				mtimeNs
			}
		};
	} finally {
		await closeUnlessDatabase(handle, stat);
	}
}
/** The sha256 of a regular file; `undefined` where nothing is, the empty string for a link, a folder, a device. */
async function hashFile(path) {
	try {
		return (await readExact(path)).sha256;
	} catch (error) {
		if (errnoOf(error) === "ENOENT") return void 0;
		if (errnoOf(error) === "ELOOP" || InspectorError.is(error)) return "";
		throw error;
	}
}
/** Writes at the end of a file of this size, durably; a part is cut off again. @throws InspectorError changed */
async function addToEnd(path, bytes, size, stat) {
	const handle = await open(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
	try {
		if ((await handle.stat()).size !== size) throw changedFile(path);
		await handle.writeFile(bytes);
		if ((await handle.stat()).size !== size + bytes.length) throw changedFile(path);
		if (stat) await setTime(handle, stat.mtimeNs);
		await handle.sync();
	} catch (error) {
		if (!InspectorError.is(error)) await handle.truncate(size).catch(() => void 0);
		throw error;
	} finally {
		await handle.close();
	}
}
/** Cuts a file off at this size, durably. */
async function cutEnd(path, size, stat) {
	const handle = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
	try {
		await handle.truncate(size);
		if (stat) await setTime(handle, stat.mtimeNs);
		await handle.sync();
	} finally {
		await handle.close();
	}
}
/** Taken away under another name first, so that what was verified is what is removed. The caller syncs the folder. */
async function removeVerified(path, wanted, temp, taken = () => void 0) {
	if (await hashFile(path) !== wanted) throw changedFile(path);
	await rename(path, temp);
	taken();
	if (!await finishRemoval(path, wanted, temp)) throw changedFile(path);
}
/** Second half of a removal: the file goes, or gets its name back if it is not the one that was meant. */
async function finishRemoval(path, wanted, temp) {
	if (await hashFile(temp) === wanted) {
		await unlink(temp);
		return true;
	}
	await takeName(temp, path).catch((error) => {
		if (errnoOf(error) !== "EEXIST") throw error;
	});
	return false;
}
function changedFile(path) {
	return new InspectorError("changed", `"${path}" is no longer the file that was shown.`, { data: { path } });
}
// ../io/src/engines/files/job.ts
/** Writes are done first, in order; removals once all is written and proven. A failed write undoes those before it. */
var FilesJob = class {
	engine = "files";
	place;
	steps;
	constructor(folder, steps = { ops: [] }) {
		this.place = folder;
		this.steps = steps;
	}
	/** A new file; `like` names the one to take mode and owner from. */
	create(path, bytes, { like } = {}) {
		return this.#add({
			op: "create",
			path,
			bytes,
			...like === void 0 ? {} : { like }
		});
	}
	/** Another content for a file that still has the expected one; mode and owner stay. */
	replace(path, bytes, { expectSha256 }) {
		return this.#add({
			op: "replace",
			path,
			bytes,
			sha256: expectSha256
		});
	}
	/** More at the end of a file that is still the expected one. */
	append(path, bytes, { expectSize, expectSha256 }) {
		return this.#add({
			op: "append",
			path,
			bytes,
			size: expectSize,
			sha256: expectSha256
		});
	}
	/** Removes a file that still has this content; the journal keeps it. */
	trash(path, sha256) {
		return this.#add({
			op: "trash",
			path,
			sha256
		});
	}
	#add(step) {
		this.steps.ops.push(step);
		return this;
	}
};
const base = {
	path: isText,
	stat: optional(has$1({
		mode: isCount,
		uid: isCount,
		gid: isCount,
		mtimeNs: isWhole
	}))
};
const whole = {
	size: isCount,
	sha256: isText
};
const KINDS = [
	has$1({
		...base,
		op: isOne("create"),
		bytes: isBytes,
		like: optional(isText)
	}),
	has$1({
		...base,
		op: isOne("replace"),
		bytes: isBytes,
		sha256: isText
	}),
	has$1({
		...base,
		...whole,
		op: isOne("append"),
		bytes: isBytes
	}),
	has$1({
		...base,
		...whole,
		op: isOne("cut")
	}),
	has$1({
		op: isOne("trash"),
		path: isText,
		sha256: isText
	})
];
const isFileSteps = has$1({
	ops: listOf((value) => KINDS.some((is) => is(value))),
	undo: optional(isOne(true))
});
// ../io/src/engines/files/mark.ts
const side = {
	sha256: isText,
	size: isCount
};
const isStoredStat = has$1({
	mode: isCount,
	uid: isCount,
	gid: isCount,
	mtimeNs: isWholeText
});
const isFileMark = has$1({
	kind: isOne("file"),
	path: isText,
	before: optional(has$1({
		...side,
		stat: isStoredStat
	})),
	after: optional(has$1(side)),
	tail: optional(isOne(true))
});
function storedStat({ mode, uid, gid, mtimeNs }) {
	return {
		mode,
		uid,
		gid,
		mtimeNs: String(mtimeNs)
	};
}
function statOf(stored) {
	return {
		...stored,
		mtimeNs: BigInt(stored.mtimeNs)
	};
}
/** One line per file that a change did something to. */
function doneLines$1(images, skipped) {
	const left = new Set(skipped);
	return images.filter((_, index) => !left.has(index)).map(({ mark }) => mark).map((mark) => `${verbOf(mark)} ${mark.path} (${((mark.after ?? mark.before)?.size ?? 0).toLocaleString("en-US")} bytes)`);
}
function verbOf({ before, after }) {
	if (before && after) return "changed";
	return after ? "added" : "removed";
}
// ../io/src/engines/files/apply.ts
/** Most bytes that one change keeps for its undo: 1 GiB, all in memory at once. */
const MAX_KEPT_BYTES = 1024 ** 3;
/**
* Changes files: first all writes, then the proof, then the removals. A failed write undoes what was written and removes
* nothing; a failed removal is reported and the rest continues.
* @throws InspectorError changed | disk_full | too_large | unsupported
*/
async function applyFiles(job, hooks) {
	const { ops, undo } = stepsOf("files", isFileSteps, job.steps);
	if (new Set(ops.map(({ path }) => path)).size < ops.length) throw new InspectorError("internal", "A job names the same file twice.");
	const home = await realFolder(job.place);
	const writes = ops.filter((step) => step.op !== "trash");
	const { images, failed } = await prepare(home, writes, ops.filter((step) => step.op === "trash"), undo === true);
	await hooks.prepared(images);
	hooks.onStep?.("intent");
	await writeAll(home, writes, images, hooks);
	hooks.onStep?.("written");
	const removed = await removeAll(home, images, hooks);
	const { skipped } = removed;
	return {
		images,
		skipped,
		failed: [...failed, ...removed.failed],
		done: doneLines$1(images, skipped)
	};
}
async function prepare(home, writes, trashes, undo) {
	const images = [];
	const failed = [];
	let kept = 0;
	const keep = (image) => {
		kept += image.content?.length ?? 0;
		if (kept > MAX_KEPT_BYTES) throw tooMuch(kept);
		images.push(image);
	};
	for (const step of writes) keep(await imageOf(home, step, undo));
	for (const step of trashes) {
		const image = await trashImage(home, step, undo).catch((error) => {
			failed.push(failure(step.path, error));
		});
		if (image) keep(image);
	}
	if (images.length === 0 && failed.length > 0) throw nothingLeft(failed);
	return {
		images,
		failed
	};
}
async function imageOf(home, step, undo) {
	const { path } = step;
	if (step.op === "create") {
		if (await exists(pathIn(home, path))) throw new InspectorError("changed", `"${path}" is already there.`, { data: { path } });
		return { mark: {
			kind: "file",
			path,
			after: contentOf(step.bytes)
		} };
	}
	const { bytes, before } = await capture(home, step, undo);
	const mark = {
		kind: "file",
		path,
		before
	};
	if (step.op === "replace") return {
		mark: {
			...mark,
			after: contentOf(step.bytes)
		},
		content: bytes
	};
	if (step.op === "cut") {
		const after = contentOf(bytes.subarray(0, step.size));
		return {
			mark: {
				...mark,
				after,
				tail: true
			},
			content: bytes.subarray(step.size)
		};
	}
	if (bytes.length !== step.size) throw changedFile(pathIn(home, path));
	return {
		mark: {
			...mark,
			after: contentOf(Buffer.concat([bytes, step.bytes])),
			tail: true
		},
		content: step.bytes
	};
}
async function trashImage(home, step, undo) {
	const { bytes, before } = await capture(home, step, undo);
	return {
		mark: {
			kind: "file",
			path: step.path,
			before
		},
		content: bytes
	};
}
async function capture(home, step, undo) {
	const path = pathIn(home, step.path);
	const { bytes, sha256: now, stat } = await readExact(path);
	if (now !== step.sha256) throw changedFile(path);
	if (!undo && (stat.mode & 146) === 0) throw new InspectorError("unsupported", `"${step.path}" is marked read-only, so it was not changed.`);
	return {
		bytes,
		before: {
			sha256: now,
			size: bytes.length,
			stat: storedStat(stat)
		}
	};
}
function contentOf(bytes) {
	return {
		sha256: sha256(bytes),
		size: bytes.length
	};
}
async function writeAll(home, writes, images, hooks) {
	for (const [index, step] of writes.entries()) {
		try {
			await writeOne(home, step, tempName(hooks.tag, `w${index}`), () => hooks.onStep?.(`write:${index}:temp`));
		} catch (error) {
			await undoWrites(home, images.slice(0, index), hooks.tag);
			throw changeError(error, pathIn(home, step.path));
		}
		hooks.onStep?.(`write:${index}`);
	}
}
async function writeOne(home, step, temp, ready) {
	const path = pathIn(home, step.path);
	if (step.op === "append" || step.op === "cut") {
		if (await hashFile(path) !== step.sha256) throw changedFile(path);
		ready();
		return step.op === "append" ? addToEnd(path, step.bytes, step.size, step.stat) : cutEnd(path, step.size, step.stat);
	}
	const { bytes, stat } = step;
	if (step.op === "create") {
		const { like } = step;
		return atomicWrite(home, step.path, bytes, {
			...like === void 0 ? {} : { like },
			...stat === void 0 ? {} : { stat },
			temp,
			beforeLink: ready
		});
	}
	return atomicWrite(home, step.path, bytes, {
		...stat === void 0 ? { like: step.path } : { stat },
		replace: true,
		temp,
		beforeLink: async () => {
			ready();
			if (await hashFile(path) === step.sha256) return;
			await unlink(pathIn(home, temp));
			throw changedFile(path);
		}
	});
}
/** Undoes the writes of a change, the last one first, where the files still are what it wrote. */
async function undoWrites(home, images, tag) {
	for (const [index, { mark, content }] of [...images.entries()].toReversed()) {
		const { before, after, tail } = mark;
		if (!after) continue;
		const path = pathIn(home, mark.path);
		if (await hashFile(path) !== after.sha256) continue;
		const stat = before && statOf(before.stat);
		if (!before || !stat) await removeVerified(path, after.sha256, pathIn(home, tempName(tag, `t${index}`)));
		else if (tail && before.size < after.size) await cutEnd(path, before.size, stat);
		else if (tail) await addToEnd(path, content ?? /* @__PURE__ */ new Uint8Array(), after.size, stat);
		else if (content) await atomicWrite(home, mark.path, content, {
			replace: true,
			stat
		});
	}
	await syncFolder(home);
}
/** The removals of a change that are still to do: `pending` are indexes of `images`, by default all of them. */
async function removeAll(home, images, hooks, pending = () => true) {
	const removals = [...images.entries()].filter(([index, { mark }]) => !mark.after && pending(index));
	if (removals.length > 0 && hooks.written && !await hooks.written()) {
		const reason = "Not removed, because the files written do not match the plan.";
		return {
			skipped: removals.map(([index]) => index),
			failed: removals.map(([, { mark }]) => ({
				what: mark.path,
				reason
			}))
		};
	}
	const skipped = [];
	const failed = [];
	for (const [index, { mark }] of removals) try {
		const temp = pathIn(home, tempName(hooks.tag, `t${index}`));
		await removeVerified(pathIn(home, mark.path), mark.before?.sha256 ?? "", temp, () => hooks.onStep?.(`trash:${index}:taken`));
		hooks.onStep?.(`trash:${index}`);
	} catch (error) {
		skipped.push(index);
		failed.push(failure(mark.path, error));
	}
	await syncFolder(home);
	return {
		skipped,
		failed
	};
}
function failure(path, error) {
	return {
		what: path,
		reason: changeError(error, path).message
	};
}
function tooMuch(kept) {
	return new InspectorError("too_large", `Undoing this change would need ${kept} stored bytes; the limit is ${MAX_KEPT_BYTES}.`, { remedy: "Delete fewer checkpoints at a time." });
}
function nothingLeft(failed) {
	return new InspectorError("changed", `Nothing could be removed. ${failed.map(({ reason }) => reason).join(" ")}`, { data: { failed } });
}
// ../io/src/engines/files/settle.ts
/** Reads only. */
async function compareFiles(folder, marks) {
	const home = await realFolder(folder);
	const sides = [];
	for (const { path, before, after } of marks) {
		const now = await hashFile(pathIn(home, path));
		sides.push({
			is: sideOf(now === before?.sha256, now === after?.sha256),
			what: path
		});
	}
	return sides;
}
/** Completes what is all written, or partly removed; else undoes it. What something else has changed is left alone. */
async function settleFiles(folder, images, hooks) {
	const home = await realFolder(folder);
	await clearTemps(home, images, hooks.tag);
	for (const image of images) if (image.mark.tail) await clearHalfTail(home, image);
	const sides = await compareFiles(home, images.map(({ mark }) => mark));
	const isDone = (index) => sides[index]?.is === "after" || sides[index]?.is === "both";
	const count = (wanted) => images.filter(({ mark }, index) => Boolean(mark.after) === wanted && isDone(index)).length;
	const writes = images.filter(({ mark }) => mark.after).length;
	if (count(false) === 0 && (writes === 0 || count(true) < writes)) {
		await undoWrites(home, images, hooks.tag);
		return {
			outcome: "rolled-back",
			skipped: images.map((_, index) => index),
			failed: [],
			done: []
		};
	}
	return complete(home, images, isDone, hooks);
}
async function complete(home, images, isDone, hooks) {
	const lost = [...images.entries()].filter(([index, { mark }]) => mark.after && !isDone(index));
	const failed = lost.map(([, { mark }]) => ({
		what: mark.path,
		reason: "It was written, but something else has changed it since."
	}));
	const rest = await removeAll(home, images, hooks, (index) => !isDone(index));
	const skipped = [...lost.map(([index]) => index), ...rest.skipped];
	return {
		outcome: "completed",
		skipped,
		failed: [...failed, ...rest.failed],
		done: doneLines$1(images, skipped)
	};
}
/** Temporary files of this change: half-written ones go, a file taken away for removal is decided by its content. */
async function clearTemps(home, images, tag) {
	for (const [index, { mark }] of images.entries()) {
		const half = pathIn(home, tempName(tag, `w${index}`));
		if (await exists(half)) await unlink(half);
		const taken = pathIn(home, tempName(tag, `t${index}`));
		const wanted = mark.before?.sha256 ?? mark.after?.sha256;
		if (wanted === void 0 || !await exists(taken)) continue;
		await finishRemoval(pathIn(home, mark.path), wanted, taken);
	}
	await syncFolder(home);
}
/** An end that was written in part only: it goes, if it is ours. */
async function clearHalfTail(home, { mark, content }) {
	const { before, after } = mark;
	if (!before || !after || !content) return;
	const whole = before.size < after.size ? before : after;
	const path = pathIn(home, mark.path);
	const { bytes } = await readExact(path).catch(() => ({ bytes: /* @__PURE__ */ new Uint8Array() }));
	const [start, end] = [bytes.subarray(0, whole.size), bytes.subarray(whole.size)];
	const isOurs = end.length < content.length && Buffer.compare(end, content.subarray(0, end.length)) === 0;
	if (end.length > 0 && isOurs && sha256(start) === whole.sha256) await cutEnd(path, whole.size, statOf(before.stat));
}
// ../io/src/engines/files/index.ts
/** Files of one folder, each written whole and durable or not at all. Its place is the folder's path. */
const filesEngine = {
	engine: "files",
	apply: applyFiles,
	compare: async (folder, marks) => compareFiles(folder, marksOf(isFileMark, marks)),
	settle: async (folder, images, hooks) => settleFiles(folder, imagesOf(isFileMark, images), hooks),
	undo: async (folder, images) => {
		return new FilesJob(folder, {
			ops: imagesOf(isFileMark, images).map(undoStep),
			undo: true
		});
	}
};
function undoStep({ mark, content }) {
	const { path, before, after } = mark;
	if (after && !before) return {
		op: "trash",
		path,
		sha256: after.sha256
	};
	if (!before || !content) throw new InspectorError("unreadable", `The before-image of "${path}" is not in the journal.`);
	const stat = statOf(before.stat);
	if (!after) return {
		op: "create",
		path,
		bytes: content,
		stat
	};
	const { sha256 } = after;
	if (!mark.tail) return {
		op: "replace",
		path,
		bytes: content,
		sha256,
		stat
	};
	if (before.size < after.size) return {
		op: "cut",
		path,
		size: before.size,
		sha256,
		stat
	};
	return {
		op: "append",
		path,
		bytes: content,
		size: after.size,
		sha256,
		stat
	};
}
// ../io/src/engines/rows/cells.ts
function isRawText(cell) {
	return cell !== null && typeof cell === "object" && !(cell instanceof Uint8Array);
}
/** A row op's values; whole numbers are meant as integers, as in SQL literals. */
function cellsOf(row) {
	return new Map(Object.entries(row).map(([name, value]) => [name, Number.isSafeInteger(value) ? BigInt(Number(value)) : value]));
}
/** The columns as one run of bytes: a JSON header [name, type, length], then the values. Column order does not matter. */
function encodeCells(cells) {
	const packed = [...cells].sort(([a], [b]) => a < b ? -1 : 1).map(([name, cell]) => ({
		name,
		...pack(cell)
	}));
	const header = Buffer.from(JSON.stringify(packed.map(({ name, type, bytes }) => [
		name,
		type,
		bytes.length
	])));
	const length = Buffer.alloc(4);
	length.writeUInt32LE(header.length);
	return Buffer.concat([
		length,
		header,
		...packed.map(({ bytes }) => bytes)
	]);
}
/** @throws InspectorError unreadable */
function decodeCells(bytes) {
	const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const headerEnd = data.length < 4 ? 0 : 4 + data.readUInt32LE(0);
	if (headerEnd === 0 || headerEnd > data.length) throw damaged();
	const cells = /* @__PURE__ */ new Map();
	let at = headerEnd;
	for (const [name, type, length] of headerOf(data.toString("utf8", 4, headerEnd))) {
		cells.set(name, unpack(type, data.subarray(at, at + length)));
		at += length;
	}
	if (at > data.length) throw damaged();
	return cells;
}
function headerOf(text) {
	const header = JSON.parse(text);
	if (!Array.isArray(header)) throw damaged();
	return header.map((column) => {
		const [name, type, length] = Array.isArray(column) ? column : [];
		if (isText(name) && isText(type) && isCount(length)) return [
			name,
			type,
			length
		];
		throw damaged();
	});
}
function hashCells(cells) {
	return sha256(encodeCells(cells));
}
function pack(cell) {
	if (cell === null) return {
		type: "null",
		bytes: Buffer.alloc(0)
	};
	if (typeof cell === "bigint") return {
		type: "integer",
		bytes: Buffer.from(String(cell))
	};
	if (typeof cell === "number") return {
		type: "real",
		bytes: Buffer.from(new Float64Array([cell]).buffer)
	};
	if (cell instanceof Uint8Array) return {
		type: "blob",
		bytes: cell
	};
	if (typeof cell !== "string") return {
		type: "raw",
		bytes: cell.text
	};
	if (cell.isWellFormed()) return {
		type: "text",
		bytes: Buffer.from(cell)
	};
	return {
		type: "utf16",
		bytes: Buffer.from(cell, "utf16le")
	};
}
function unpack(type, bytes) {
	if (type === "null") return null;
	if (type === "integer") return BigInt(bytes.toString());
	if (type === "real") return bytes.readDoubleLE(0);
	if (type === "blob") return bytes;
	if (type === "raw") return { text: bytes };
	if (type === "text") return bytes.toString();
	if (type === "utf16") return bytes.toString("utf16le");
	throw damaged();
}
function damaged() {
	return new InspectorError("unreadable", "A before-image in the journal is damaged.");
}
/** Equal as a system means it: numbers by value, text by code units, blobs by bytes. */
function sameValue(cell, wanted) {
	if (cell === void 0 || cell !== null && isRawText(cell)) return false;
	if (cell instanceof Uint8Array || wanted instanceof Uint8Array) return cell instanceof Uint8Array && wanted instanceof Uint8Array && Buffer.compare(cell, wanted) === 0;
	const numeric = (value) => typeof value === "number" || typeof value === "bigint";
	return numeric(cell) && numeric(wanted) ? cell == wanted : cell === wanted;
}
// ../io/src/engines/rows/mark.ts
const isSpot = has$1({
	rowid: optional(isWholeText),
	key: isText,
	sha256: isText
});
const isRowMark = has$1({
	kind: isOne("row"),
	table: isText,
	before: optional(isSpot),
	after: optional(isSpot)
});
function spotOf({ rowid, key, cells }) {
	return {
		...rowid === void 0 ? {} : { rowid: String(rowid) },
		key: Buffer.from(encodeCells(key)).toString("base64"),
		sha256: hashCells(cells)
	};
}
/** @throws InspectorError unreadable */
function placeOf$1({ rowid, key }) {
	return {
		...rowid === void 0 ? {} : { rowid: BigInt(rowid) },
		key: decodeCells(Buffer.from(key, "base64"))
	};
}
/** One line for each table and kind of change. */
function doneLines(images, skipped = []) {
	const left = new Set(skipped);
	const counts = /* @__PURE__ */ new Map();
	for (const [index, { mark }] of images.entries()) {
		if (left.has(index)) continue;
		const { table, before, after } = mark;
		const verb = before && after ? "changed" : after ? "added" : "removed";
		const line = counts.get(`${verb} ${table}`) ?? {
			verb,
			table,
			n: 0
		};
		counts.set(`${verb} ${table}`, {
			...line,
			n: line.n + 1
		});
	}
	return [...counts.values()].map(({ verb, table, n }) => `${verb} ${n} ${n === 1 ? "row" : "rows"} in ${table}`);
}
// ../io/src/engines/rows/ledger.ts
/** Collects the steps of one transaction: a row touched twice has one image, from its first state to its last. */
var Ledger = class {
	#steps = [];
	/** Place of a row now, or of one that went, to the index of its step. */
	#places = /* @__PURE__ */ new Map();
	add(step) {
		const from = step.before ?? step.after;
		if (!from) return;
		const known = this.#places.get(placeId(step.table, from));
		const earlier = known === void 0 ? void 0 : this.#steps[known];
		const index = known ?? this.#steps.length;
		const before = earlier ? earlier.before : step.before;
		this.#steps[index] = {
			table: step.table,
			...before ? { before } : {},
			...step.after ? { after: step.after } : {}
		};
		this.#places.delete(placeId(step.table, from));
		this.#places.set(placeId(step.table, step.after ?? from), index);
	}
	images() {
		return this.#steps.filter(({ before, after }) => before ?? after).map(toImage);
	}
};
function toImage({ table, before, after }) {
	return {
		mark: {
			kind: "row",
			table,
			...before ? { before: spotOf(before) } : {},
			...after ? { after: spotOf(after) } : {}
		},
		...before ? { content: encodeCells(before.cells) } : {}
	};
}
function placeId(table, { rowid, key }) {
	const place = key.size > 0 ? Buffer.from(encodeCells(key)).toString("base64") : String(rowid);
	return JSON.stringify([table, place]);
}
// ../io/src/engines/rows/work.ts
/** The answer, waited for where it comes later. */
function* got(answer) {
	if (!(answer instanceof Promise)) return answer;
	let result;
	yield answer.then((value) => {
		result = { value };
	});
	if (!result) throw new Error("The work resumed before its answer was there.");
	return result.value;
}
/** Does the work of an engine that answers at once. */
function doNow(work) {
	const { done, value } = work.next();
	if (done === true) return value;
	throw new Error("This engine answers later, and was asked to answer at once.");
}
/** Does the work of an engine that answers later. */
async function doWaiting(work) {
	let step = work.next();
	while (step.done !== true) {
		try {
			await step.value;
		} catch (error) {
			step = work.throw(error);
			continue;
		}
		step = work.next();
	}
	return step.value;
}
// ../io/src/engines/rows/tables.ts
/** Still exactly the row that the spot describes. */
function* holds(tables, table, spot) {
	const now = yield* got(tables.find(table, placeOf$1(spot)));
	return now !== void 0 && hashCells(now.cells) === spot.sha256;
}
function only(rows, table) {
	const [row] = rows;
	if (row && rows.length === 1) return row;
	throw new InspectorError("internal", `A change to one row of "${table}" matched ${rows.length}.`);
}
// ../io/src/engines/rows/undo.ts
/**
* Added rows go, changed ones change back, removed ones return in their order. Last first: where rows belong to others
* these were there before them. @throws InspectorError changed
*/
function* undoRows(tables, images) {
	for (const { mark } of images) yield* verify(tables, mark);
	const { added, altered, removed } = sort(images.toReversed());
	const steps = [];
	for (const image of added) steps.push(...yield* drop(tables, image));
	for (const image of altered) steps.push(...yield* changeBack(tables, image));
	steps.push(...yield* putBack(tables, removed));
	return steps;
}
/** A row that was deleted and saved again under another rowid goes and comes back, so that it keeps its place. */
function sort(images) {
	const stays = ({ mark: { before, after } }) => before && after && before.rowid === after.rowid;
	return {
		added: images.filter((image) => image.mark.after && !stays(image)),
		altered: images.filter(stays),
		removed: images.filter((image) => image.mark.before && !stays(image))
	};
}
function* verify(tables, { table, before, after }) {
	if (after && (yield* holds(tables, table, after))) return;
	if (!after && before && (placeOf$1(before).key.size === 0 || (yield* find(tables, table, before)) === void 0)) return;
	throw new InspectorError("changed", `A row in "${table}" was changed after that change.`, { data: { table } });
}
function* find(tables, table, spot) {
	return spot && (yield* got(tables.find(table, placeOf$1(spot))));
}
function* drop(tables, { mark }) {
	const before = yield* find(tables, mark.table, mark.after);
	if (!before) return [];
	yield* got(tables.drop(mark.table, before));
	return [{
		table: mark.table,
		before
	}];
}
function* changeBack(tables, { mark, content }) {
	const before = yield* find(tables, mark.table, mark.after);
	if (!before || !content) return [];
	const after = yield* got(tables.overwrite(mark.table, before, decodeCells(content)));
	return [{
		table: mark.table,
		before,
		after
	}];
}
/** If one of the rowids was given out meanwhile, all rows of that table get new ones: their order counts. */
function* putBack(tables, images) {
	const steps = [];
	for (const table of new Set(images.map(({ mark }) => mark.table))) {
		const states = images.filter(({ mark }) => mark.table === table).flatMap(stateBefore).sort((a, b) => Number((a.rowid ?? 0n) - (b.rowid ?? 0n)));
		const keep = !(yield* anyTaken(tables, table, states));
		for (const state of states) steps.push({
			table,
			after: yield* got(tables.put(table, state, keep))
		});
	}
	return steps;
}
function* anyTaken(tables, table, states) {
	for (const { rowid } of states) if (rowid !== void 0 && (yield* got(tables.rowidTaken(table, rowid)))) return true;
	return false;
}
function stateBefore({ mark, content }) {
	if (!mark.before || !content) return [];
	return [{
		...placeOf$1(mark.before),
		cells: decodeCells(content)
	}];
}
// ../io/src/engines/rows/apply.ts
/** In the caller's transaction, which a throw rolls back. @throws InspectorError changed | head_moved | unsupported */
function* applyRows(tables, { checks, ops }) {
	for (const check of checks) yield* runCheck(tables, check);
	const start = yield* got(tables.changes());
	const ledger = new Ledger();
	let planned = 0;
	for (const op of ops) {
		const steps = yield* runStep(tables, op);
		planned += steps.length;
		for (const step of steps) ledger.add(step);
	}
	const changed = (yield* got(tables.changes())) - start;
	if (changed !== planned) throw new InspectorError("unsupported", `Triggers or cascades in the database would change ${changed - planned} more rows.`);
	return ledger.images();
}
/** Which side of each change is stored. Reads only. */
function* compareRows(tables, marks) {
	const sides = [];
	for (const { table, before, after } of marks) {
		const spot = after ?? before;
		const absent = spot !== void 0 && (yield* got(tables.find(table, placeOf$1(spot)))) === void 0;
		const isBefore = before ? yield* holds(tables, table, before) : absent;
		const isAfter = after ? yield* holds(tables, table, after) : absent;
		sides.push({
			is: sideOf(isBefore, isAfter),
			what: table
		});
	}
	return sides;
}
function* runStep(tables, op) {
	if (op.op === "undo") return yield* undoRows(tables, op.images);
	const { table } = op;
	if (op.op === "insert") return [{
		table,
		after: yield* got(tables.insert(table, op.row))
	}];
	if (op.op === "delete") {
		const gone = yield* got(tables.delete(table, op.key));
		expectRows(table, gone.length, op.expect ?? 1);
		return gone.map((before) => ({
			table,
			before
		}));
	}
	const rows = yield* got(tables.select(table, op.key));
	if (op.op === "copy") {
		if (op.many !== true) expectRows(table, rows.length, 1);
		const copies = yield* got(tables.copy(table, op.key, op.set));
		expectRows(table, copies.length, rows.length);
		return copies.map((after) => ({
			table,
			after
		}));
	}
	expectRows(table, rows.length, 1);
	const [before] = rows;
	const [after] = yield* got(tables.update(table, op.key, op.set));
	return [{
		table,
		...before ? { before } : {},
		...after ? { after } : {}
	}];
}
function expectRows(table, found, expected) {
	if (found === expected) return;
	throw new InspectorError("changed", `The plan expects ${expected} rows in "${table}", there are ${found}.`, { data: {
		table,
		expected,
		found
	} });
}
function* runCheck(tables, check) {
	const { table, key } = check;
	if (check.check === "max") return yield* checkMax(tables, check);
	const rows = yield* got(tables.select(table, key));
	if (check.check === "absent") return expectRows(table, rows.length, 0);
	expectRows(table, rows.length, 1);
	const cells = rows[0]?.cells;
	const other = Object.entries(check.equals).find(([name, value]) => !sameValue(cells?.get(name), value));
	if (!other) return;
	throw new InspectorError("changed", `Column "${other[0]}" of the row in "${table}" has changed.`, { data: {
		table,
		column: other[0]
	} });
}
function* checkMax(tables, check) {
	const now = yield* got(tables.max(check.table, check.key, check.column));
	if (sameValue(now, check.value ?? null)) return;
	throw new InspectorError("head_moved", "A checkpoint was saved after the preview.", { data: {
		planned: show(check.value ?? null),
		now: show(now)
	} });
}
function show(value) {
	if (value === null) return null;
	return typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? String(value) : "bytes";
}
/** A transaction either happened or did not. */
function settledRows(images, sides) {
	const count = (is) => sides.filter((side) => side.is === is).length;
	if (count("after") === 0 || count("after") < count("before")) return nothingDone(images);
	return {
		outcome: "completed",
		skipped: [],
		failed: [],
		done: doneLines(images)
	};
}
/** One transaction, never held open while images are made durable elsewhere: then the steps are rehearsed first. */
async function changeRows(transact, steps, hooks) {
	const first = attempt(transact, (tables) => {
		const images = doNow(applyRows(tables, steps));
		const kept = hooks.prepared(images);
		if (!kept) hooks.onStep?.("intent");
		return {
			images,
			kept,
			isDone: !kept
		};
	});
	await first.kept;
	if (!first.isDone) {
		hooks.onStep?.("intent");
		transact((tables) => assertSame(doNow(applyRows(tables, steps)), first.images));
	}
	hooks.onStep?.("written");
	return {
		images: first.images,
		skipped: [],
		failed: [],
		done: doneLines(first.images)
	};
}
/** Rolls back what is not done. */
function attempt(transact, work) {
	let result;
	try {
		return transact((tables) => {
			result = work(tables);
			if (result.isDone) return result;
			throw new Error("rehearsed");
		});
	} catch (error) {
		if (result && !result.isDone) return result;
		throw error;
	}
}
function assertSame(now, rehearsed) {
	const marks = (images) => JSON.stringify(images.map(({ mark }) => mark));
	if (marks(now) === marks(rehearsed)) return;
	throw new InspectorError("changed", "The store changed while this change was being recorded.");
}
// ../io/src/engines/rows/job.ts
/** Builds a job for rows: all of it happens in one transaction, or nothing. */
var RowsJob = class {
	engine;
	place;
	steps;
	constructor(engine, place, tasks = []) {
		this.engine = engine;
		this.place = place;
		this.steps = {
			checks: [],
			ops: [],
			...tasks.length === 0 ? {} : { tasks }
		};
	}
	insert(table, row) {
		return this.#add({
			op: "insert",
			table,
			row
		});
	}
	update(table, key, set) {
		return this.#add({
			op: "update",
			table,
			key,
			set
		});
	}
	delete(table, key, { expect } = {}) {
		return this.#add({
			op: "delete",
			table,
			key,
			...expect === void 0 ? {} : { expect }
		});
	}
	copy(table, key, set) {
		return this.#add({
			op: "copy",
			table,
			key,
			set
		});
	}
	copyAll(table, key, set) {
		return this.#add({
			op: "copy",
			table,
			key,
			set,
			many: true
		});
	}
	undo(images) {
		return this.#add({
			op: "undo",
			images
		});
	}
	/** Exactly one row answers to the key, and these columns of it are equal. */
	expectRow(table, key, equals) {
		return this.#check({
			check: "row",
			table,
			key,
			equals
		});
	}
	expectAbsent(table, key) {
		return this.#check({
			check: "absent",
			table,
			key
		});
	}
	/** The greatest `column` among the rows of the key; `undefined`: there are none. */
	expectMax(table, key, column, value) {
		return this.#check({
			check: "max",
			table,
			key,
			column,
			...value === void 0 ? {} : { value }
		});
	}
	#add(step) {
		this.steps.ops.push(step);
		return this;
	}
	#check(check) {
		this.steps.checks.push(check);
		return this;
	}
};
/** Rows of a SQLite file. */
const sqliteJob = (path) => new RowsJob("sqlite", path);
const TABLE$2 = "checkpoints";
const WRITES = "writes";
/** Columns that a store of the first format doesn't have. */
const LATER$1 = [
	"namespace",
	"parent_namespace",
	"beside"
];
/** The steps of one of our own stores, as steps on its rows. The first format has no namespaces and no writes. */
function addNative(job, steps, isFirstFormat = false) {
	const own = (row) => isFirstFormat ? Object.fromEntries(Object.entries(row).filter(([name]) => !LATER$1.includes(name))) : row;
	const key = ({ task, namespace = "", id }) => own({
		task,
		namespace,
		id
	});
	const { unchanged, copy, newest = [], taken = [], moves = [], removes, clears = [] } = steps;
	for (const { ref, revision } of unchanged) job.expectRow(TABLE$2, key(ref), { state_hash: revision });
	for (const { task, seq } of newest) job.expectMax(TABLE$2, { task }, "seq", seq);
	if (copy) {
		job.expectAbsent(TABLE$2, key(copy.to)).expectMax(TABLE$2, { task: copy.to.task }, "seq", copy.newest);
		job.copy(TABLE$2, key(copy.from), own({
			...copy.set,
			...key(copy.to)
		}));
	}
	for (const { from, to, set } of taken) job.copy(TABLE$2, key(from), own({
		...set,
		...key(to)
	}));
	if (isFirstFormat) return removing(job, removes.map(key));
	for (const { from, to, writes } of taken) job.copyAll(WRITES, {
		...key(from),
		...writes === "all" ? {} : { channel: "__interrupt__" }
	}, key(to));
	for (const { ref, parent } of moves) job.update(TABLE$2, key(ref), parentColumns(parent));
	for (const { ref, count } of clears) job.delete(WRITES, key(ref), { expect: count });
	return removing(job, removes.map(key));
}
function removing(job, keys) {
	for (const key of keys) job.delete(TABLE$2, key);
	return job;
}
const isRef = has$1({
	task: isText,
	namespace: optional(isText),
	id: isText
});
const isPlain = (value) => value === null || [
	"number",
	"bigint",
	"string"
].includes(typeof value);
const set = mapOf(isPlain);
const isExtent = (value) => value === "all" || value === "questions";
const isNativeSteps = has$1({
	unchanged: listOf(has$1({
		ref: isRef,
		revision: isText
	})),
	copy: optional(has$1({
		from: isRef,
		to: isRef,
		set,
		newest: optional(isCount)
	})),
	newest: optional(listOf(has$1({
		task: isText,
		seq: optional(isCount)
	}))),
	taken: optional(listOf(has$1({
		from: isRef,
		to: isRef,
		set,
		writes: isExtent
	}))),
	moves: optional(listOf(has$1({
		ref: isRef,
		parent: optional(isRef)
	}))),
	removes: listOf(isRef),
	clears: optional(listOf(has$1({
		ref: isRef,
		count: isCount
	})))
});
const isValue = (value) => isPlain(value) || isBytes(value);
const isRow = mapOf(isValue);
const where = {
	table: isText,
	key: isRow
};
const STEPS = [
	has$1({
		op: isOne("insert"),
		table: isText,
		row: isRow
	}),
	has$1({
		...where,
		op: isOne("update"),
		set: isRow
	}),
	has$1({
		...where,
		op: isOne("delete"),
		expect: optional(isCount)
	}),
	has$1({
		...where,
		op: isOne("copy"),
		set: isRow,
		many: optional(isOne(true))
	}),
	has$1({
		op: isOne("undo"),
		images: listOf(has$1({
			mark: isRowMark,
			content: optional(isBytes)
		}))
	})
];
const CHECKS = [
	has$1({
		...where,
		check: isOne("row"),
		equals: isRow
	}),
	has$1({
		...where,
		check: isOne("absent")
	}),
	has$1({
		...where,
		check: isOne("max"),
		column: isText,
		value: optional(isValue)
	})
];
const isRowSteps = has$1({
	checks: listOf((value) => CHECKS.some((is) => is(value))),
	ops: listOf((value) => STEPS.some((is) => is(value))),
	tasks: optional(listOf(isText))
});
// ../io/src/engines/memory.ts
/** Rows of a store in memory. Its place names the store's tables; they end with their process. */
const memoryEngine = {
	engine: "memory",
	async apply(job, hooks) {
		const tables = tablesOf$2(job.place);
		return changeRows((work) => inTransaction$1(tables, work), rowSteps(job.steps), hooks);
	},
	async compare(place, marks) {
		return inTransaction$1(tablesOf$2(place), (rows) => doNow(compareRows(rows, marksOf(isRowMark, marks))));
	},
	async settle(place, images) {
		if (!memoryTables(place)) return nothingDone(images);
		const marks = images.map(({ mark }) => mark);
		return settledRows(imagesOf(isRowMark, images), await memoryEngine.compare(place, marks));
	},
	undo: async (place, images) => new RowsJob("memory", place).undo(imagesOf(isRowMark, images))
};
function inTransaction$1(tables, work) {
	return tables.transaction((access) => work(new MemoryRows(access)));
}
function rowSteps(steps) {
	if (isNativeSteps(steps)) return addNative(new RowsJob("memory", ""), steps).steps;
	return stepsOf("memory", isRowSteps, steps);
}
/** @throws InspectorError unsupported when the memory is gone */
function tablesOf$2(place) {
	const tables = memoryTables(place);
	if (tables) return tables;
	throw new InspectorError("unsupported", "The store was in memory and no longer exists.");
}
/** Row ops on tables in memory; the caller holds the transaction. */
var MemoryRows = class {
	#access;
	#changes = 0;
	constructor(access) {
		this.#access = access;
	}
	select(table, key) {
		return this.#access.select(table, plain(key)).map(({ rowid, row }) => {
			const cells = new Map(Object.entries(row));
			return {
				rowid,
				key: keyCells$1(table, cells),
				cells
			};
		});
	}
	find(table, { rowid, key }) {
		return this.select(table, rowOf(key)).find((row) => row.rowid === rowid);
	}
	max(table, key, column) {
		return this.#access.select(table, plain(key)).map(({ row }) => row[column] ?? null).reduce((most, value) => value !== null && (most === null || value > most) ? value : most, null);
	}
	insert(table, row, rowid) {
		const given = this.#access.insert(table, plain(row), rowid);
		this.#changes++;
		return only(this.select(table, rowOf(keyCells$1(table, new Map(Object.entries(row))))).filter((one) => one.rowid === given), table);
	}
	copy(table, key, set) {
		return this.#access.select(table, plain(key)).map(({ row }) => this.insert(table, {
			...row,
			...set
		}));
	}
	update(table, key, set) {
		const rowids = new Set(this.#access.select(table, plain(key)).map(({ rowid }) => rowid));
		this.#changes += this.#access.update(table, plain(key), plain(set));
		return this.select(table, {}).filter(({ rowid }) => rowid !== void 0 && rowids.has(rowid));
	}
	delete(table, key) {
		const rows = this.select(table, key);
		this.#changes += this.#access.delete(table, plain(key));
		return rows;
	}
	put(table, state, keepRowid) {
		return this.insert(table, rowOf(state.cells), keepRowid ? state.rowid : void 0);
	}
	overwrite(table, place, cells) {
		return only(this.update(table, rowOf(place.key), rowOf(cells)), table);
	}
	drop(table, { key }) {
		const gone = this.delete(table, rowOf(key)).length;
		if (gone !== 1) throw new InspectorError("internal", `${gone} rows of "${table}" match one place.`);
	}
	rowidTaken(table, rowid) {
		return this.#access.select(table, {}).some((row) => row.rowid === rowid);
	}
	changes() {
		return this.#changes;
	}
};
function keyCells$1(table, cells) {
	const key = keyColumns(table);
	return new Map([...cells].filter(([name]) => key.includes(name)));
}
/** Memory keeps every value as it came, so there is no text kept as bytes. */
function rowOf(cells) {
	const entries = [...cells].flatMap(([name, cell]) => cell !== null && isRawText(cell) ? [] : [[name, cell]]);
	return Object.fromEntries(entries);
}
/** @throws InspectorError invalid_input for bytes, which these tables do not hold */
function plain(row) {
	const entries = Object.entries(row).map(([name, value]) => {
		if (!(value instanceof Uint8Array)) return [name, value];
		throw new InspectorError("invalid_input", `A memory store cannot keep bytes, but "${name}" holds some.`);
	});
	return Object.fromEntries(entries);
}
// ../io/src/engines/postgres/locks.ts
/**
* Until the transaction ends nobody else changes what a job rests on. Other inspectors and our own stores take the same
* advisory locks, of a task or of the whole store; everyone else is kept from writing to the tables, never from reading.
*/
async function lockFor(client, schema, steps) {
	await lockTasks(client, schema, steps.tasks ?? []);
	const tables = tablesOf$1(steps);
	if (tables.length === 0) return;
	const names = tables.map((table) => `${quotedName(schema)}.${quotedName(table)}`);
	await client.query(`LOCK TABLE ${names.join(", ")} IN SHARE ROW EXCLUSIVE MODE`);
}
/** In the order of their names, so that two jobs never wait for each other. */
async function lockTasks(client, schema, tasks) {
	const store = storeLock(schema);
	if (tasks.length === 0) {
		await client.query("SELECT pg_advisory_xact_lock($1)", [store]);
		return;
	}
	await client.query("SELECT pg_advisory_xact_lock_shared($1)", [store]);
	for (const task of [...new Set(tasks)].toSorted()) await client.query("SELECT pg_advisory_xact_lock($1)", [taskLock(schema, task)]);
}
function tablesOf$1({ checks, ops }) {
	const named = [...checks, ...ops].flatMap((step) => {
		if (!("op" in step) || step.op !== "undo") return [step.table];
		return step.images.map(({ mark }) => mark.table);
	});
	return [...new Set(named)].toSorted();
}
// ../io/src/engines/postgres/table.ts
const COLUMNS$1 = `SELECT attname AS name, format_type(atttypid, -1) AS type, atttypid IN (20, 21, 23) AS whole,
    pg_get_serial_sequence(format('%I.%I', $1::text, $2::text), attname) IS NOT NULL AS serial,
    attgenerated <> '' AS generated, array_position(indkey::int2[], attnum) AS at
  FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace AND nspname = $1
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
  WHERE relname = $2 AND relkind IN ('r', 'p') ORDER BY attnum`;
/** @throws InspectorError unsupported: no ordinary table, or one without primary key */
async function readTable(client, schema, name) {
	const { rows } = await client.query(COLUMNS$1, [schema, name]);
	if (rows.length === 0) throw unsupported(name, `"${name}" isn't an ordinary table in schema "${schema}".`);
	const inKey = rows.filter(({ at }) => at !== null).sort((a, b) => Number(a.at) - Number(b.at));
	if (inKey.length === 0) throw unsupported(name, `"${name}" has no primary key to find its rows by.`);
	return {
		name,
		sql: `${quotedName(schema)}.${quotedName(name)}`,
		columns: rows.filter(({ generated }) => !generated).map((row) => ({
			name: row.name,
			type: row.type,
			isWhole: row.whole,
			isSerial: row.serial
		})),
		keys: inKey.map((row) => row.name)
	};
}
/** @throws InspectorError unsupported */
function columnOf(table, name) {
	const column = table.columns.find((one) => one.name === name);
	if (column) return column;
	throw unsupported(table.name, `Table "${table.name}" has no column "${name}".`);
}
function unsupported(table, message) {
	return new InspectorError("unsupported", message, { data: { table } });
}
// ../io/src/engines/postgres/rows.ts
/** Row ops in PostgreSQL; the caller holds the transaction. A row is found by its primary key alone. */
var PostgresRows = class {
	#client;
	#schema;
	#tables = /* @__PURE__ */ new Map();
	constructor(client, schema) {
		this.#client = client;
		this.#schema = schema;
	}
	async select(name, key) {
		return this.#select(await this.#table(name), cellsOf(key));
	}
	async find(name, { key }) {
		const [row] = await this.#select(await this.#table(name), key);
		return row;
	}
	async max(name, key, column) {
		const table = await this.#table(name);
		const { sql, values } = whereAll$1(table, cellsOf(key));
		const { rows } = await this.#run(`SELECT max(${quotedName(column)}) FROM ${table.sql}${sql}`, values);
		return cellFrom(columnOf(table, column), rows[0]?.[0]);
	}
	async insert(name, row) {
		return this.#insert(await this.#table(name), cellsOf(row));
	}
	async copy(name, key, set) {
		const table = await this.#table(name);
		const fixed = cellsOf(set);
		for (const column of fixed.keys()) columnOf(table, column);
		const columns = table.columns.filter((one) => fixed.has(one.name) || !(one.isSerial && table.keys.includes(one.name)));
		const given = columns.filter((one) => fixed.has(one.name));
		const where = whereAll$1(table, cellsOf(key), given.length);
		const sources = columns.map((one) => fixed.has(one.name) ? mark(one, given.indexOf(one) + 1) : quotedName(one.name));
		const names = columns.map((one) => quotedName(one.name)).join(", ");
		const sql = `INSERT INTO ${table.sql} (${names}) OVERRIDING SYSTEM VALUE SELECT ${sources.join(", ")} FROM ${table.sql}${where.sql} ORDER BY ${table.keys.map(quotedName).join(", ")}`;
		return this.#returning(table, sql, [...given.map((one) => bound$1(fixed.get(one.name))), ...where.values]);
	}
	async update(name, key, set) {
		return this.#update(await this.#table(name), cellsOf(set), cellsOf(key));
	}
	async delete(name, key) {
		return this.#delete(await this.#table(name), cellsOf(key));
	}
	async put(name, { cells }) {
		return this.#insert(await this.#table(name), cells);
	}
	/** Only what differs is set: an identity column takes no value of ours, not even its own. */
	async overwrite(name, place, cells) {
		const table = await this.#table(name);
		const now = only(await this.#select(table, place.key), name);
		const different = [...cells].filter(([column, cell]) => !isSame(now.cells.get(column), cell));
		if (different.length === 0) return now;
		return only(await this.#update(table, new Map(different), place.key), name);
	}
	async drop(name, { key }) {
		const { length: gone } = await this.#delete(await this.#table(name), key);
		if (gone !== 1) throw new InspectorError("internal", `${gone} rows of "${name}" match one place.`);
	}
	rowidTaken() {
		return false;
	}
	/** What this transaction has done to any table, by the server's own count. */
	async changes() {
		const { rows } = await this.#run("SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_xact_user_tables", []);
		return Number(rows[0]?.[0]);
	}
	async #table(name) {
		const table = this.#tables.get(name) ?? await readTable(this.#client, this.#schema, name);
		this.#tables.set(name, table);
		return table;
	}
	async #select(table, key) {
		const where = whereAll$1(table, key);
		const order = table.keys.map(quotedName).join(", ");
		return statesOf(table, await this.#run(`SELECT ${allColumns(table)} FROM ${table.sql}${where.sql} ORDER BY ${order}`, where.values));
	}
	async #insert(table, cells) {
		const columns = [...cells.keys()].map((name) => columnOf(table, name));
		const names = columns.map((one) => quotedName(one.name)).join(", ");
		const marks = columns.map((one, index) => mark(one, index + 1)).join(", ");
		const sql = `INSERT INTO ${table.sql} (${names}) OVERRIDING SYSTEM VALUE VALUES (${marks})`;
		return only(await this.#returning(table, sql, [...cells.values()].map(bound$1)), table.name);
	}
	async #update(table, set, key) {
		const where = whereAll$1(table, key, set.size);
		const sets = [...set.keys()].map((name, index) => `${quotedName(name)} = ${mark(columnOf(table, name), index + 1)}`);
		const sql = `UPDATE ${table.sql} SET ${sets.join(", ")}${where.sql}`;
		return this.#returning(table, sql, [...[...set.values()].map(bound$1), ...where.values]);
	}
	#delete(table, key) {
		const where = whereAll$1(table, key);
		return this.#returning(table, `DELETE FROM ${table.sql}${where.sql}`, where.values);
	}
	async #returning(table, sql, values) {
		return statesOf(table, await this.#run(`${sql} RETURNING ${allColumns(table)}`, values));
	}
	#run(text, values) {
		return this.#client.query({
			text,
			values: [...values],
			rowMode: "array",
			types: STORED_TYPES
		});
	}
};
const allColumns = (table) => table.columns.map(({ name }) => quotedName(name)).join(", ");
/** `$1::text`: the type of the column, so that a value means there what it means in it. */
const mark = ({ type }, at) => `$${at}::${type}`;
function statesOf(table, { rows }) {
	return rows.map((row) => {
		const cells = new Map(table.columns.map((column, at) => [column.name, cellFrom(column, row[at])]));
		return {
			key: new Map(table.keys.map((name) => [name, cells.get(name) ?? null])),
			cells
		};
	});
}
/** Bytes and texts as they come; a system compares whole numbers as numbers. */
function cellFrom(column, value) {
	if (value === null || value === void 0) return null;
	if (value instanceof Uint8Array) return value;
	return column.isWhole ? BigInt(value) : value;
}
/** `WHERE` over these columns, its values after `before` others; every row where there are none. */
function whereAll$1(table, cells, before = 0) {
	const values = [];
	const parts = [...cells].map(([name, cell]) => {
		const column = columnOf(table, name);
		if (cell === null) return `${quotedName(name)} IS NULL`;
		values.push(bound$1(cell));
		return `${quotedName(name)} = ${mark(column, before + values.length)}`;
	});
	return {
		sql: parts.length === 0 ? "" : ` WHERE ${parts.join(" AND ")}`,
		values
	};
}
function bound$1(cell) {
	if (cell === void 0 || cell === null) return null;
	if (isRawText(cell)) throw new InspectorError("unreadable", "A before-image in the journal is of another engine.");
	return parameter(typeof cell === "number" ? String(cell) : cell);
}
function isSame(a, b) {
	if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
	return a === b;
}
// ../io/src/engines/postgres/index.ts
const STATEMENT_MS = 6e4;
/** Writers that come later wait as long as we do. */
const LOCK_MS = 5e3;
/** Rows of a PostgreSQL schema, in one transaction. Its place is the identity of a database that is open. */
const postgresEngine = {
	engine: "postgres",
	async apply(job, hooks) {
		const steps = stepsOf("postgres", isRowSteps, job.steps);
		const images = await transaction(job.place, WRITE, async (client, schema) => {
			await lockFor(client, schema, steps);
			await mustCount(client);
			const made = await doWaiting(applyRows(new PostgresRows(client, schema), steps));
			await hooks.prepared(made);
			hooks.onStep?.("intent");
			return made;
		});
		hooks.onStep?.("written");
		return {
			images,
			skipped: [],
			failed: [],
			done: doneLines(images)
		};
	},
	async compare(place, marks) {
		const known = marksOf(isRowMark, marks);
		return transaction(place, READ$1, (client, schema) => sidesOf(client, schema, known));
	},
	async settle(place, images) {
		const known = imagesOf(isRowMark, images);
		const marks = known.map(({ mark }) => mark);
		const tables = {
			checks: [],
			ops: [{
				op: "undo",
				images: known
			}]
		};
		return settledRows(known, await transaction(place, WRITE, async (client, schema) => {
			await lockFor(client, schema, tables);
			return sidesOf(client, schema, marks);
		}));
	},
	undo: async (place, images) => new RowsJob("postgres", place).undo(imagesOf(isRowMark, images))
};
function sidesOf(client, schema, marks) {
	return doWaiting(compareRows(new PostgresRows(client, schema), marks));
}
const READ$1 = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/**
* Each statement sees what is committed once the locks are held. Durable at COMMIT; no row is hidden by a policy; rows
* that belong to each other may be put back in any order where the database allows it.
*/
const WRITE = [
	"BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
	"SET LOCAL synchronous_commit = on",
	"SET LOCAL row_security = off",
	`SET LOCAL lock_timeout = ${LOCK_MS}`,
	"SET CONSTRAINTS ALL DEFERRED"
].join("; ");
async function transaction(place, begin, work) {
	const { schema, ...target } = placeAt(place);
	const pool = await connect(target);
	try {
		return await pool.use(`${begin}; ${settings(schema, STATEMENT_MS)}`, async (client) => {
			const result = await work(client, schema);
			await client.query("COMMIT");
			return result;
		});
	} finally {
		await pool.close();
	}
}
/** Without its counters nobody would notice what triggers and cascades do. */
async function mustCount(client) {
	const { rows } = await client.query(`SELECT current_setting('track_counts') = 'on' AND current_setting('server_encoding') = 'UTF8' AS can`);
	if (rows[0]?.can === true) return;
	throw new InspectorError("unsupported", "The server doesn't count changed rows (track_counts), or its text isn't UTF-8, so a change couldn't be checked.");
}
// ../io/src/engines/sqlite/rows.ts
const STATEMENTS_KEPT = 64;
/** Row ops on a SQLite database; the caller holds the transaction. OR ABORT: no constraint may replace a row. */
var SqliteRows = class {
	#db;
	#encoding;
	#tables = /* @__PURE__ */ new Map();
	#statements = /* @__PURE__ */ new Map();
	constructor(db) {
		this.#db = db;
		this.#encoding = String(db.pragma("encoding"));
	}
	select(table, key) {
		return this.#rows(this.#info(table), cellsOf(key));
	}
	find(table, place) {
		const info = this.#info(table);
		const [row] = this.#rows(info, placeKey(info, place));
		return row;
	}
	max(table, key, column) {
		const where = whereAll(cellsOf(key));
		const inner = `SELECT max(${quoted(column)}) AS m FROM ${quoted(this.#info(table).name)}${where.sql}`;
		const row = this.#prepare(`SELECT ${exactColumns(["m"])} FROM (${inner})`).get(...where.values);
		return row ? readCell(row, 0, this.#encoding) : null;
	}
	insert(table, row) {
		return this.#insert(this.#info(table), cellsOf(row), void 0);
	}
	copy(table, key, set) {
		const info = this.#info(table);
		const where = whereAll(cellsOf(key));
		const fixed = cellsOf(set);
		const columns = info.columns.filter((name) => name !== info.rowidColumn || fixed.has(name));
		const given = columns.flatMap((name) => fixed.has(name) ? [fixed.get(name) ?? null] : []);
		const sources = columns.map((name) => fixed.has(name) ? "?" : quoted(name));
		const sql = `INSERT OR ABORT INTO ${quoted(info.name)} (${columns.map(quoted).join(", ")}) SELECT ${sources.join(", ")} FROM ${quoted(info.name)}${where.sql} ORDER BY ${orderOf(info)}`;
		for (const name of fixed.keys()) assertColumn(info, name);
		return this.#returning(info, sql, [...given.map(bound), ...where.values]);
	}
	update(table, key, set) {
		const info = this.#info(table);
		return this.#update(info, cellsOf(set), cellsOf(key));
	}
	delete(table, key) {
		const rows = this.select(table, key);
		const gone = this.#delete(this.#info(table), cellsOf(key));
		if (gone !== rows.length) throw new InspectorError("internal", `${gone} rows of "${table}" went, not ${rows.length}.`);
		return rows;
	}
	put(table, state, keepRowid) {
		const info = this.#info(table);
		const rowid = keepRowid && info.rowidColumn === void 0 ? state.rowid : void 0;
		return this.#insert(info, state.cells, rowid);
	}
	overwrite(table, place, cells) {
		const info = this.#info(table);
		return only(this.#update(info, cells, placeKey(info, place)), table);
	}
	drop(table, place) {
		const info = this.#info(table);
		const gone = this.#delete(info, placeKey(info, place));
		if (gone !== 1) throw new InspectorError("internal", `${gone} rows of "${table}" match one place.`);
	}
	rowidTaken(table, rowid) {
		const info = this.#info(table);
		if (info.rowid === void 0) return false;
		const sql = `SELECT 1 FROM ${quoted(info.name)} WHERE ${quoted(info.rowid)} = ?`;
		return this.#prepare(sql).get(rowid) !== void 0;
	}
	changes() {
		return Number(this.#db.prepare("SELECT total_changes() AS n").get()?.n ?? 0);
	}
	/** A change of thousands of rows runs a handful of statements. */
	#prepare(sql) {
		const known = this.#statements.get(sql);
		if (known) return known;
		const statement = this.#db.prepare(sql);
		if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
		this.#statements.set(sql, statement);
		return statement;
	}
	#info(table) {
		const known = this.#tables.get(table) ?? tableInfo(this.#db, table);
		this.#tables.set(table, known);
		return known;
	}
	#rows(info, key) {
		const where = whereAll(key);
		const sql = `SELECT ${exactColumns([...info.rowid === void 0 ? [] : [info.rowid], ...info.columns].map(quoted))} FROM ${quoted(info.name)}${where.sql} ORDER BY ${orderOf(info)}`;
		return this.#prepare(sql).all(...where.values).map((row) => this.#state(info, row));
	}
	#state(info, row) {
		const first = info.rowid === void 0 ? 0 : 1;
		const cells = new Map(info.columns.map((name, i) => [name, readCell(row, i + first, this.#encoding)]));
		const rowid = first === 1 ? readCell(row, 0, this.#encoding) : void 0;
		return {
			...typeof rowid === "bigint" ? { rowid } : {},
			key: keyCells(info, cells),
			cells
		};
	}
	#insert(info, cells, rowid) {
		const row = new Map(cells);
		const names = [...row.keys()].map(quoted);
		const marks = [...row.values()].map(placeholder);
		const values = [...row.values()].map(bound);
		if (rowid !== void 0 && info.rowid !== void 0) {
			names.push(quoted(info.rowid));
			marks.push("?");
			values.push(rowid);
		}
		const sql = `INSERT OR ABORT INTO ${quoted(info.name)} (${names.join(", ")}) VALUES (${marks.join(", ")})`;
		return only(this.#returning(info, sql, values), info.name);
	}
	#update(info, set, key) {
		const where = whereAll(key);
		const sets = [...set].map(([name, cell]) => `${quoted(name)} = ${placeholder(cell)}`);
		const sql = `UPDATE OR ABORT ${quoted(info.name)} SET ${sets.join(", ")}${where.sql}`;
		return this.#returning(info, sql, [...[...set.values()].map(bound), ...where.values]);
	}
	#delete(info, key) {
		const where = whereAll(key);
		return this.#prepare(`DELETE FROM ${quoted(info.name)}${where.sql}`).run(...where.values).changes;
	}
	/** Runs the change, then reads the rows it made as stored. */
	#returning(info, sql, values) {
		const names = info.rowid === void 0 ? info.keys : [info.rowid];
		return this.#prepare(`${sql} RETURNING ${exactColumns(names.map(quoted))}`).all(...values).flatMap((row) => {
			const at = new Map(names.map((name, i) => [name, readCell(row, i, this.#encoding)]));
			return this.#rows(info, at);
		});
	}
};
/** The primary key, unless a part is null: SQLite lets such rows repeat. */
function keyCells(info, cells) {
	const key = new Map(info.keys.map((name) => [name, cells.get(name) ?? null]));
	return [...key.values()].includes(null) ? /* @__PURE__ */ new Map() : key;
}
function placeKey(info, { rowid, key }) {
	if (key.size > 0) return key;
	if (rowid !== void 0 && info.rowid !== void 0) return /* @__PURE__ */ new Map([[info.rowid, rowid]]);
	throw new InspectorError("unsupported", `A row of "${info.name}" has no primary key and no rowid to find it by.`);
}
function assertColumn(info, name) {
	if (info.columns.includes(name)) return;
	throw new InspectorError("unsupported", `Table "${info.name}" has no column "${name}".`);
}
/** Type and value of each expression as `t0, v0, t1, v1…`: integers as text, text as bytes, so that nothing is rounded. */
function exactColumns(expressions) {
	return expressions.map((e, i) => {
		return `typeof(${e}) AS t${i}, ${`CASE typeof(${e}) WHEN 'integer' THEN CAST(${e} AS TEXT) WHEN 'text' THEN CAST(${e} AS BLOB) ELSE ${e} END`} AS v${i}`;
	}).join(", ");
}
/** One value read by `exactColumns`. `encoding` is the database's. */
function readCell(row, index, encoding) {
	const type = row[`t${index}`];
	const value = row[`v${index}`] ?? null;
	if (type === "integer") return BigInt(String(value));
	if (type !== "text") return value;
	return readText(value instanceof Uint8Array ? value : /* @__PURE__ */ new Uint8Array(), encoding);
}
function readText(bytes, encoding) {
	if (encoding === "UTF-16be") return { text: bytes };
	try {
		return new TextDecoder(encoding, {
			fatal: true,
			ignoreBOM: true
		}).decode(bytes);
	} catch {
		return { text: bytes };
	}
}
/** A bound value; text that is not well-formed goes in as bytes. */
function placeholder(cell) {
	return cell !== null && isRawText(cell) ? "CAST(? AS TEXT)" : "?";
}
function bound(cell) {
	return cell !== null && isRawText(cell) ? cell.text : cell;
}
/** `WHERE` over these columns; every row where there are none. */
function whereAll(cells) {
	if (cells.size === 0) return {
		sql: "",
		values: []
	};
	const parts = [...cells].map(([name, cell]) => `${quoted(name)} ${cell === null ? "IS NULL" : `= ${placeholder(cell)}`}`);
	const values = [...cells.values()].filter((cell) => cell !== null).map(bound);
	return {
		sql: ` WHERE ${parts.join(" AND ")}`,
		values
	};
}
/** The order of rows that a copy and an image keep. */
function orderOf(info) {
	return info.rowid === void 0 ? info.keys.map(quoted).join(", ") : quoted(info.rowid);
}
/** @throws InspectorError unsupported (no ordinary table) */
function tableInfo(db, table) {
	const entry = db.prepare("SELECT type, wr FROM pragma_table_list(?) WHERE schema = 'main'").get(table);
	if (entry?.type !== "table") throw new InspectorError("unsupported", `"${table}" isn't an ordinary table in this database.`, { data: { table } });
	const rows = db.prepare("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)").all(table);
	const columns = rows.filter(({ hidden }) => Number(hidden) === 0).map(({ name }) => name);
	const keyRows = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
	const keys = keyRows.map(({ name }) => name);
	if (Number(entry.wr) !== 0) return {
		name: table,
		columns,
		keys
	};
	const alias = keyRows.length === 1 && keyRows[0]?.type.toUpperCase() === "INTEGER" ? keys[0] : void 0;
	const rowid = [
		"_rowid_",
		"oid",
		"rowid"
	].find((name) => !rows.some((row) => row.name.toLowerCase() === name));
	return {
		name: table,
		columns,
		keys,
		...rowid === void 0 ? {} : { rowid },
		...alias === void 0 ? {} : { rowidColumn: alias }
	};
}
/** An identifier that cannot be read as anything else. @throws InspectorError invalid_input */
function quoted(name) {
	if (name.includes("\0")) throw new InspectorError("invalid_input", "A table or column name contains a NUL character.");
	return `"${name.replaceAll("\"", "\"\"")}"`;
}
// ../io/src/engines/sqlite/native.ts
/** The rows of our own store whose states are shared nodes, as the rows that have their state's text. */
const TABLE$1 = "checkpoints";
/** They keep the counts of each task. What any other trigger changes is not ours to hide. */
const OWN_TRIGGERS = [
	"count_inserted",
	"count_deleted",
	"count_updated"
];
/** Columns that the first format doesn't have, as they are in a row of its kind: there nothing is known of them. */
const LATER = /* @__PURE__ */ new Map([
	["namespace", ""],
	["parent_namespace", null],
	["beside", null]
]);
/**
* What a plan, an image and a receipt know of a checkpoint is the row of format 1: its columns with `text`. Here the
* text is put together from nodes, or shared into them.
*/
var NodeTables = class {
	#db;
	#rows;
	/** Rows that the caller doesn't know of: nodes, texts, and what the store's own triggers count. */
	#own = 0;
	#hasOtherTriggers;
	#removed = 0;
	constructor(db) {
		this.#db = db;
		this.#rows = new SqliteRows(db);
		const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
		this.#hasOtherTriggers = triggers.some(({ name }) => !OWN_TRIGGERS.includes(name));
	}
	/** At the end of a transaction: what nothing refers to any more goes. */
	finish() {
		if (this.#removed > 0) collectAfterRemoval(this.#db, this.#removed);
		this.#removed = 0;
	}
	select(table, key) {
		return this.#read(table, this.#rows.select(table, key));
	}
	find(table, place) {
		const row = this.#rows.find(table, place);
		return row && this.#read(table, [row])[0];
	}
	max(table, key, column) {
		return this.#rows.max(table, key, column);
	}
	insert(table, row) {
		const stored = this.#stored(table, row, () => this.#latest(row["task"]));
		return only(this.#changed(table, () => [this.#rows.insert(table, stored)]), table);
	}
	copy(table, key, set) {
		const stored = this.#stored(table, set, () => this.#rootOf(this.#rows.select(table, key)[0]));
		return this.#changed(table, () => this.#rows.copy(table, key, stored));
	}
	update(table, key, set) {
		if (table === TABLE$1 && "text" in set) this.#removed++;
		const stored = this.#stored(table, set, () => this.#rootOf(this.#rows.select(table, key)[0]));
		return this.#changed(table, () => this.#rows.update(table, key, stored));
	}
	delete(table, key) {
		const gone = this.#changed(table, () => this.#rows.delete(table, key));
		if (table === TABLE$1) this.#removed += gone.length;
		return gone;
	}
	put(table, state, keepRowid) {
		const cells = this.#cells(table, state.cells, () => this.#latest(state.cells.get("task")));
		return only(this.#changed(table, () => [this.#rows.put(table, {
			...state,
			cells
		}, keepRowid)]), table);
	}
	overwrite(table, place, cells) {
		const before = () => this.#rootOf(this.#rows.find(table, place));
		if (table === TABLE$1) this.#removed++;
		const whole = table === TABLE$1 ? new Map([...LATER, ...cells]) : cells;
		const stored = this.#cells(table, whole, before);
		return only(this.#changed(table, () => [this.#rows.overwrite(table, place, stored)]), table);
	}
	drop(table, place) {
		const start = this.#rows.changes();
		this.#rows.drop(table, place);
		this.#hide(table, start, 1);
		if (table === TABLE$1) this.#removed++;
	}
	rowidTaken(table, rowid) {
		return this.#rows.rowidTaken(table, rowid);
	}
	changes() {
		return this.#rows.changes() - this.#own;
	}
	/** Rows that were changed, as they are known outside. */
	#changed(table, change) {
		const start = this.#rows.changes();
		const rows = change();
		this.#hide(table, start, rows.length);
		return this.#read(table, rows);
	}
	/** Leaves out what the triggers have changed beside so many rows. */
	#hide(table, start, rows) {
		if (table === TABLE$1 && !this.#hasOtherTriggers) this.#own += this.#rows.changes() - start - rows;
	}
	#read(table, rows) {
		if (table !== TABLE$1) return [...rows];
		return rows.map(({ cells, ...place }) => {
			const { root, whole, ...logical } = Object.fromEntries(cells);
			const text = readText$1(this.#db, {
				root: Number(root),
				whole: whole === null ? null : Number(whole),
				size_bytes: Number(logical["size_bytes"])
			});
			const known = Object.entries(logical).filter(([name, cell]) => !LATER.has(name) || LATER.get(name) !== cell);
			return {
				...place,
				cells: new Map([...known, ["text", text]])
			};
		});
	}
	#stored(table, row, before) {
		const { text, ...rest } = row;
		if (table !== TABLE$1 || text === void 0) return row;
		return {
			...rest,
			...this.#shared(text, before)
		};
	}
	#cells(table, cells, before) {
		const text = cells.get("text");
		if (table !== TABLE$1 || text === void 0) return cells;
		const { root, whole } = this.#shared(text, before);
		const rest = [...cells].filter(([name]) => name !== "text");
		return new Map([
			...rest,
			["root", BigInt(root)],
			["whole", whole === null ? null : BigInt(whole)]
		]);
	}
	#shared(text, before) {
		if (typeof text !== "string") throw new InspectorError("unsupported", "A state can only be put back as text.");
		const start = this.#rows.changes();
		const { root, whole } = shareText(this.#db, text, this.#known(before()));
		this.#own += this.#rows.changes() - start;
		return {
			root,
			whole
		};
	}
	/** A damaged state is nothing to compare with, and no reason not to write another one. */
	#known(root) {
		try {
			return root === void 0 ? void 0 : readShared(this.#db, root);
		} catch (error) {
			if (InspectorError.is(error) && error.code === "unreadable") return void 0;
			throw error;
		}
	}
	#rootOf(row) {
		const root = row?.cells.get("root");
		return typeof root === "bigint" ? Number(root) : void 0;
	}
	#latest(task) {
		const key = typeof task === "string" ? { task } : {};
		const seq = sqlValue(this.#rows.max(TABLE$1, key, "seq"));
		return seq === void 0 ? void 0 : this.#rootOf(this.#rows.select(TABLE$1, { seq })[0]);
	}
};
const sqlValue = (cell) => typeof cell === "bigint" ? cell : void 0;
// ../io/src/engines/sqlite/index.ts
/** Rows of a SQLite file, in one immediate transaction. Its place is the file's path. */
const sqliteEngine = {
	engine: "sqlite",
	async apply(job, hooks) {
		const steps = stepsOf("sqlite", isRowSteps, job.steps);
		const db = openForChange(job.place);
		try {
			return await changeRows((work) => inTransaction(db, work), steps, hooks);
		} finally {
			db.close();
		}
	},
	async compare(path, marks) {
		const db = openSqlite(path, { readOnly: true });
		try {
			return readTogether(db, () => doNow(compareRows(tablesOf(db), marksOf(isRowMark, marks))));
		} finally {
			db.close();
		}
	},
	async settle(path, images) {
		openForChange(path).close();
		const marks = images.map(({ mark }) => mark);
		return settledRows(imagesOf(isRowMark, images), await sqliteEngine.compare(path, marks));
	},
	undo: async (path, images) => new RowsJob("sqlite", path).undo(imagesOf(isRowMark, images))
};
function inTransaction(db, work) {
	return db.transaction(() => {
		db.pragma("defer_foreign_keys = ON");
		const tables = tablesOf(db);
		const result = work(tables);
		if (tables instanceof NodeTables) tables.finish();
		return result;
	});
}
const tablesOf = (db) => hasNodes(db) ? new NodeTables(db) : new SqliteRows(db);
/** Durable at COMMIT, and with foreign keys on: what cascades is counted, and then refused. */
function openForChange(path) {
	const db = openSqlite(path, { readOnly: false });
	try {
		if (db.snapshot !== void 0) throw new InspectorError("busy", db.snapshot);
		db.pragma("synchronous = FULL");
		db.pragma("foreign_keys = ON");
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}
createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
createExecutors([
	filesEngine,
	sqliteEngine,
	postgresEngine,
	memoryEngine
]);
// ../stores/src/sqlite/schema.ts
const PRODUCT = "checkpoint-inspector";
const TABLE = "checkpoints";
/** Of states that are cut into nodes, few of which fill a page of 4,096 bytes. */
const PAGE_BYTES = 8192;
/** `seq` is the rowid: save order. */
const IDS = `
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task TEXT NOT NULL,
  id TEXT NOT NULL,`;
/** Which part of the task, where the parent is in another one, and what a framework keeps beside the state. */
const PLACES = `
  namespace TEXT NOT NULL DEFAULT '',
  parent_namespace TEXT,
  beside TEXT,`;
const FIELDS = `
  state_hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  parent_task TEXT,
  parent_id TEXT,
  step_index INTEGER,
  total_steps INTEGER,
  trigger TEXT,
  status TEXT,
  description TEXT,
  agent_id TEXT,
  duration_ms REAL,
  token_usage INTEGER,
  cost_usd REAL,
  created_at TEXT NOT NULL`;
const INDEXES = `
CREATE INDEX checkpoints_by_task ON ${TABLE} (task, seq);
CREATE INDEX checkpoints_by_id ON ${TABLE} (id);`;
/** What a file begins as: its first save brings it to the format of today, so that no text is ever behind metadata. */
const FIRST_SCHEMA = `
CREATE TABLE store_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ${TABLE} (${IDS}
  text TEXT NOT NULL,${FIELDS},
  UNIQUE (task, id)
);${INDEXES}
`;
/** Written without ON CONFLICT, which a statement that fires a trigger would replace by its own. */
const COUNT_IN = `
  INSERT INTO tasks (task, count, bytes, updated)
    SELECT NEW.task, 0, 0, '' WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE task = NEW.task);
  UPDATE tasks SET count = count + 1, bytes = bytes + NEW.size_bytes, updated = max(updated, NEW.created_at)
    WHERE task = NEW.task;`;
/** Looks through the task only where its newest time goes. */
const COUNT_OUT = `
  UPDATE tasks SET count = count - 1, bytes = bytes - OLD.size_bytes, updated = CASE
      WHEN OLD.created_at < updated THEN updated
      ELSE COALESCE((SELECT max(created_at) FROM ${TABLE} WHERE task = OLD.task), '') END
    WHERE task = OLD.task;
  DELETE FROM tasks WHERE task = OLD.task AND count = 0;`;
/** States are nodes that checkpoints share; a text whose layout isn't compact is kept whole as well. */
const NODES_SCHEMA = `
CREATE TABLE nodes (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, hash BLOB NOT NULL, body TEXT NOT NULL);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE ${TABLE} (${IDS}
  root INTEGER NOT NULL,
  whole INTEGER,${PLACES}${FIELDS},
  UNIQUE (task, namespace, id)
);${INDEXES}
CREATE INDEX checkpoints_by_parent ON ${TABLE} (parent_id, parent_task) WHERE parent_id IS NOT NULL;
CREATE TABLE writes (
  task TEXT NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  run TEXT NOT NULL,
  idx INTEGER NOT NULL,
  path TEXT NOT NULL,
  node TEXT,
  channel TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (task, namespace, id, run, idx)
) WITHOUT ROWID;
CREATE TABLE tasks (task TEXT PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, updated TEXT NOT NULL);
CREATE TRIGGER count_inserted AFTER INSERT ON ${TABLE} BEGIN${COUNT_IN}
END;
CREATE TRIGGER count_deleted AFTER DELETE ON ${TABLE} BEGIN${COUNT_OUT}
END;
CREATE TRIGGER count_updated AFTER UPDATE OF task, size_bytes, created_at ON ${TABLE}
  WHEN OLD.task <> NEW.task OR OLD.size_bytes <> NEW.size_bytes OR OLD.created_at <> NEW.created_at
BEGIN${COUNT_OUT}${COUNT_IN}
END;
`;
/** Every column of the first format but the state itself. */
const FIRST_COLUMNS = "seq, task, id, state_hash, size_bytes, parent_task, parent_id, step_index, total_steps, trigger, status, description, agent_id, duration_ms, token_usage, cost_usd, created_at";
/** Every column but the state itself, and what is beside it. */
const META_COLUMNS = `${FIRST_COLUMNS}, namespace, parent_namespace`;
const has = (channel) => `beside IS NOT NULL AND EXISTS (SELECT 1 FROM writes AS w
  WHERE w.task = c.task AND w.namespace = c.namespace AND w.id = c.id AND w.channel = '${channel}')`;
/** What a framework's writes tell of a row of \`c\`; nothing is looked up where it has none. */
const SIGNS = `beside IS NOT NULL AS framed, ${has("__error__")} AS failed, ${has("__interrupt__")} AS asked`;
/** Makes the file unless told not to. @throws InspectorError no_store | unsupported_version | invalid_input */
function openForSaving(path, maxPerTask, create = true) {
	const db = openSqlite(path, {
		readOnly: false,
		create
	});
	try {
		const isEmpty = () => db.prepare("SELECT 1 FROM sqlite_schema").get() === void 0;
		if (create && isEmpty()) db.pragma(`page_size = ${PAGE_BYTES}`);
		db.pragma("journal_mode = WAL");
		db.pragma("synchronous = FULL");
		db.transaction(() => {
			if (create && isEmpty()) createTables(db);
			checkFormat(db, path);
			if (maxPerTask === "all") db.prepare("DELETE FROM store_meta WHERE k = 'max_per_task'").run();
			else if (maxPerTask !== void 0) setMeta(db, "max_per_task", String(maxPerTask));
		});
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}
function createTables(db) {
	db.exec(FIRST_SCHEMA);
	setMeta(db, "product", PRODUCT);
	setMeta(db, "format", "1");
}
function setMeta(db, key, value) {
	db.prepare("INSERT INTO store_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v").run(key, value);
}
/** @throws InspectorError invalid_input (not ours) | unsupported_version (newer) */
function checkFormat(db, path) {
	if (!isOurs(db)) throw new InspectorError("invalid_input", `${path} is another program's database.`, { remedy: "Choose a new file for this store." });
	const format = metaNumber(db, "format");
	if (format > 2) throw new InspectorError("unsupported_version", `${path} has format ${format}; this version supports up to 2.`);
}
/** One connection for good: an agent saves to the file that it opened. */
function connectForSaving(path, keep, create) {
	const database = openForSaving(path, keep, create);
	return {
		current: () => database,
		maxPerTask: limitOf(database),
		snapshot: void 0,
		close: () => database.close()
	};
}
/** Follows the path: a file that is moved away is missed, one that takes its place is read. */
function connectForReading(path) {
	const follow = followSqlite(path);
	let seen;
	let maxPerTask;
	const current = () => {
		const database = follow.current();
		if (database === seen) return database;
		checkFormat(database, path);
		maxPerTask = limitOf(database);
		seen = database;
		return database;
	};
	try {
		current();
	} catch (error) {
		follow.close();
		throw error;
	}
	return {
		current,
		get maxPerTask() {
			return maxPerTask;
		},
		get snapshot() {
			return seen?.snapshot;
		},
		close: () => follow.close()
	};
}
function limitOf(database) {
	const kept = metaText(database, "max_per_task");
	return kept === void 0 ? void 0 : Number(kept);
}
// ../stores/src/sqlite/rows.ts
const LINEAGE_COLUMNS = "seq, task, namespace, id, parent_task, parent_id, parent_namespace, step_index, status, description, created_at";
const SIGN_NAMES = [
	"framed",
	"failed",
	"asked"
];
const NAMES = {
	meta: [...META_COLUMNS.split(", "), ...SIGN_NAMES],
	lineage: [...LINEAGE_COLUMNS.split(", "), ...SIGN_NAMES]
};
const NODES = {
	meta: `SELECT ${META_COLUMNS}, ${SIGNS} FROM ${TABLE} AS c`,
	lineage: `SELECT ${LINEAGE_COLUMNS}, ${SIGNS} FROM ${TABLE} AS c`,
	latest: `SELECT seq FROM ${TABLE} WHERE task = ? AND seq < ? AND +namespace = '' ORDER BY seq DESC LIMIT 1`
};
/** The first format has no namespaces. */
const PLAIN = `(SELECT *, '' AS namespace, NULL AS parent_namespace FROM ${TABLE})`;
const FIRST = {
	meta: `SELECT ${META_COLUMNS}, 0, 0, 0 FROM ${PLAIN}`,
	lineage: `SELECT ${LINEAGE_COLUMNS}, 0, 0, 0 FROM ${PLAIN}`,
	latest: `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ? AND seq < ?`
};
const converted$1 = /* @__PURE__ */ new WeakSet();
/** True where the store counts its tasks' rows, shares nodes and keeps writes: once and for all. */
function isCounted(db) {
	if (converted$1.has(db)) return true;
	if (metaNumber(db, "format") !== 2) return false;
	converted$1.add(db);
	return true;
}
const readingOf = (db) => isCounted(db) ? NODES : FIRST;
/** Rows with what `where` says. They come as arrays, which the driver makes three times faster than objects. */
function rowsWhere(db, part, where, ...parameters) {
	const names = NAMES[part];
	return prepared(db, `${readingOf(db)[part]} ${where}`, true).all(...parameters).map((values) => {
		const row = {};
		for (let at = 0; at < names.length; at++) row[names[at] ?? ""] = values[at] ?? null;
		return row;
	});
}
/** The one saved last of the root namespace, of all or of those before. */
const latestOf = (db, task, before = Number.MAX_SAFE_INTEGER) => prepared(db, readingOf(db).latest).get(task, before)?.seq ?? void 0;
/** A row as the rules of all native stores know it. */
function stored(row) {
	return {
		rowid: BigInt(Number(row["seq"] ?? 0)),
		row
	};
}
const seqIn = (row) => Number(row["seq"]);
// ../stores/src/sqlite/place.ts
/** The place of a row in the save order of its task: no index knows it, so it is counted. */
/** Newer rows are counted up to here: most questions are about the newest. Further down, every so many rows are marked. */
const NEAR = 2e3;
const LOOK = `SELECT COALESCE((SELECT count FROM tasks WHERE task = :task), 0) AS total,
  COALESCE((SELECT max(seq) FROM ${TABLE} WHERE task = :task), 0) AS newest,
  (SELECT count(*) FROM (SELECT 1 FROM ${TABLE} WHERE task = :task AND seq > :seq LIMIT ${NEAR})) AS newer,
  (SELECT count(*) FROM (SELECT 1 FROM ${TABLE} WHERE task = :task AND seq > :known LIMIT ${NEAR})) AS added,
  (SELECT group_concat(v) FROM store_meta WHERE k IN ('removed', 'gc_epoch')) AS removed`;
const BETWEEN = `SELECT count(*) AS n FROM ${TABLE} WHERE task = ? AND seq > ? AND seq <= ?`;
const NEXT_MARK = `SELECT seq FROM ${TABLE} WHERE task = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET 1999`;
/** So many tasks are known at a time. */
const KEPT$1 = 32;
const NONE = {
	total: 0,
	newest: 0,
	removed: "",
	seqs: []
};
const known = /* @__PURE__ */ new WeakMap();
/** How many rows the task has up to this one. What was counted once is kept as long as rows are only added at the end. */
function placeOf(db, task, seq) {
	if (!isCounted(db)) return between(db, task, 0, seq);
	return readTogether(db, () => placeIn(db, task, seq));
}
function placeIn(db, task, seq) {
	const marks = known.get(db)?.get(task) ?? NONE;
	const look = prepared(db, LOOK).get({
		task,
		seq,
		known: marks.newest
	});
	if (look === void 0) return 0;
	if (look.newer < NEAR) return look.total - look.newer;
	const seqs = markedTo(db, task, seq, isStill(marks, look) ? marks.seqs : []);
	keep(db, task, {
		...look,
		seqs
	});
	const at = countUpTo(seqs, seq);
	return at * NEAR + between(db, task, seqs[at - 1] ?? 0, seq);
}
/** An undo puts rows back where they were: then the task has more rows than came last. */
const isStill = (marks, { total, removed, added }) => removed === marks.removed && added < NEAR && total - marks.total === added;
function markedTo(db, task, seq, known) {
	const seqs = [...known];
	for (let last = seqs.at(-1) ?? 0; last < seq; last = seqs.at(-1) ?? seq) {
		const next = prepared(db, NEXT_MARK).get(task, last);
		if (next === void 0) break;
		seqs.push(next.seq);
	}
	return seqs;
}
/** How many of the ascending numbers are at most that. */
function countUpTo(seqs, seq) {
	let [low, high] = [0, seqs.length];
	while (low < high) {
		const middle = low + high >>> 1;
		if ((seqs[middle] ?? seq) <= seq) low = middle + 1;
		else high = middle;
	}
	return low;
}
const between = (db, task, after, upTo) => prepared(db, BETWEEN).get(task, after, upTo)?.n ?? 0;
function keep(db, task, marks) {
	const tasks = known.get(db) ?? /* @__PURE__ */ new Map();
	known.set(db, tasks.set(task, marks));
	const oldest = tasks.size > KEPT$1 ? tasks.keys().next().value : void 0;
	if (oldest !== void 0) tasks.delete(oldest);
}
// ../stores/src/sqlite/read.ts
/** A few milliseconds of work: between two batches others may have their turn. */
const LINEAGE_BATCH = 1e3;
const OLDEST_FIRST = " WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?";
const NEWEST_FIRST = " WHERE task = ? AND seq <= ? ORDER BY seq DESC LIMIT ?";
/** By format: the first one has no counts, so it looks at every row. */
const TASKS = {
	first: `SELECT task, count(*) AS n, sum(size_bytes) AS bytes, max(seq) AS latest, max(created_at) AS updated
    FROM ${TABLE} GROUP BY task ORDER BY updated DESC, task`,
	counted: `SELECT task, count AS n, bytes, updated, (SELECT seq FROM ${TABLE} AS c
    WHERE c.task = tasks.task AND +namespace = '' ORDER BY seq DESC LIMIT 1) AS latest FROM tasks ORDER BY updated DESC, task`
};
/** Tasks by the time of their newest checkpoint, ties by id. */
function readTasks(db, store, query) {
	const limit = pageLimit(query.limit);
	const after = query.cursor === void 0 ? void 0 : decodeCursor(query.cursor, ["string", "string"]);
	const wanted = query.text?.toLowerCase();
	const rows = prepared(db, isCounted(db) ? TASKS.counted : TASKS.first).all().filter((row) => wanted === void 0 || row.task.toLowerCase().includes(wanted)).filter((row) => after === void 0 || row.updated < String(after[0]) || row.updated === after[0] && row.task > String(after[1]));
	const shown = rows.slice(0, limit);
	const last = shown.at(-1);
	const items = shown.map((row) => toTask(db, store, row));
	return rows.length > limit && last ? {
		items,
		cursor: encodeCursor([last.updated, last.task])
	} : { items };
}
function toTask(db, store, { task, n, bytes, latest }) {
	const row = rowAt(db, latest ?? 0) ?? {};
	const meta = toMeta(store, {
		stored: stored(row),
		place: n,
		before: void 0,
		isLatest: true
	});
	const lastError = meta.status === "failed" ? errorBeside(db, row) ?? meta.description : void 0;
	return {
		store,
		id: task,
		title: task,
		system: "native",
		...meta.agentId === void 0 ? {} : { agentId: meta.agentId },
		checkpointCount: n,
		unreadable: 0,
		...latest === null ? {} : { latestId: meta.id },
		status: meta.status,
		...lastError === void 0 ? {} : { lastError },
		...meta.createdAt === void 0 ? {} : { updatedAt: meta.createdAt },
		sizeBytes: bytes
	};
}
/** The latest first, then in save order backwards. */
function readCheckpoints(db, store, task, query) {
	const limit = pageLimit(query.limit);
	const start = query.cursor === void 0 ? void 0 : decodeCursor(query.cursor, [
		"number",
		"number",
		"number"
	]);
	const top = newestOf(db, task);
	const latest = start ? Number(start[2]) : latestOf(db, task);
	const from = start ? Number(start[0]) : firstSeq(db, task, query, {
		limit,
		top,
		latest
	});
	if (from === void 0) return { items: [] };
	const window = rowsWhere(db, "meta", NEWEST_FIRST, task, from, limit + 2);
	const first = window[0];
	if (!first) return { items: [] };
	const place = start ? Number(start[1]) : placeOf(db, task, seqIn(first));
	const seen = window.map((row, at) => ({
		row,
		before: window[at + 1],
		place: place - at
	}));
	const head = latest === top ? void 0 : latest;
	const listed = head === void 0 ? seen : seen.filter(({ row }) => seqIn(row) !== head);
	const all = start === void 0 && head !== void 0 && from === top ? [...seenAt(db, task, head), ...listed] : listed;
	const marks = new Newest(db, task, start ? latestOf(db, task) : latest);
	const items = all.slice(0, limit).map(({ row, before, place: at }) => toMeta(store, marks.placed(row, before, at)));
	const next = all[limit];
	return next ? {
		items,
		cursor: encodeCursor([
			seqIn(next.row),
			next.place,
			latest ?? 0
		])
	} : { items };
}
function seenAt(db, task, seq) {
	const [row, before] = rowsWhere(db, "meta", NEWEST_FIRST, task, seq, 2);
	return row ? [{
		row,
		before,
		place: placeOf(db, task, seq)
	}] : [];
}
/** Which rows are the newest of their namespace: each namespace is looked up once. */
var Newest = class {
	#db;
	#task;
	#latest;
	#known = /* @__PURE__ */ new Map();
	constructor(db, task, latest = latestOf(db, task)) {
		this.#db = db;
		this.#task = task;
		this.#latest = latest;
	}
	placed(row, before, place) {
		const isLatest = seqIn(row) === this.#latest;
		const isNewest = row["namespace"] && row["framed"] === 1 ? this.#in(String(row["namespace"])) === seqIn(row) : isLatest;
		return {
			stored: stored(row),
			place,
			before: before && stored(before),
			isLatest,
			isNewest
		};
	}
	#in(namespace) {
		if (!this.#known.has(namespace)) {
			const sql = `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ? AND namespace = ?`;
			this.#known.set(namespace, prepared(this.#db, sql).get(this.#task, namespace)?.seq);
		}
		return this.#known.get(namespace);
	}
};
function firstSeq(db, task, query, { limit, top, latest }) {
	const seq = query.around && seqOf(db, query.around);
	if (seq === void 0 || seq === latest) return top;
	const last = rowsWhere(db, "lineage", OLDEST_FIRST, task, seq, Math.floor((limit - 1) / 2)).at(-1);
	return last ? seqIn(last) : seq;
}
/** The one saved last. */
const newestOf = (db, task) => prepared(db, `SELECT max(seq) AS seq FROM checkpoints WHERE task = ?`).get(task)?.seq ?? void 0;
const OF_ROW$1 = "WHERE task = ? AND namespace = ? AND id = ?";
const keyOf$1 = ({ task, namespace = "", id }) => [
	task,
	namespace,
	id
];
const seqOf = (db, ref) => prepared(db, `SELECT seq FROM ${isCounted(db) ? TABLE : PLAIN} ${OF_ROW$1}`).get(...keyOf$1(ref))?.seq;
/** Oldest first, in batches: no read transaction is held while the caller works. */
function* readLineage(db, task) {
	const marks = new Newest(db, task);
	let previous;
	let place = 0;
	for (;;) {
		const rows = rowsWhere(db, "lineage", OLDEST_FIRST, task, previous ? seqIn(previous) : 0, LINEAGE_BATCH);
		for (const row of rows) {
			place += 1;
			yield toLineage(marks.placed(row, previous, place));
			previous = row;
		}
		if (rows.length < LINEAGE_BATCH) return;
	}
}
function readMeta(db, store, ref) {
	const row = readRow(db, ref);
	if (row === void 0) return void 0;
	const [, before] = rowsWhere(db, "lineage", NEWEST_FIRST, ref.task, seqIn(row), 2);
	return toMeta(store, new Newest(db, ref.task).placed(row, before, placeOf(db, ref.task, seqIn(row))));
}
function readState(db, ref) {
	return readTogether(db, () => stateIn(db, ref));
}
function stateIn(db, ref) {
	const row = prepared(db, isCounted(db) ? `SELECT state_hash, root, whole, size_bytes FROM ${TABLE} ${OF_ROW$1}` : `SELECT state_hash, text FROM ${PLAIN} ${OF_ROW$1}`).get(...keyOf$1(ref));
	return row && stateOf(row.state_hash, "text" in row ? row.text : readKnownText(db, row));
}
const WRITES_OF = `SELECT run, idx, path, node, channel, text FROM writes ${OF_ROW$1} ORDER BY path, run, idx`;
/** What steps wrote from a checkpoint. */
function readWrites(db, ref) {
	return isCounted(db) ? prepared(db, WRITES_OF).all(...keyOf$1(ref)).map(toWrite) : [];
}
const countWrites = (db, ref) => isCounted(db) ? prepared(db, `SELECT 1 FROM writes ${OF_ROW$1}`).all(...keyOf$1(ref)).length : 0;
const hasWrites = (db, task) => isCounted(db) && prepared(db, "SELECT 1 FROM writes WHERE task = ? LIMIT 1").get(task) !== void 0;
/** The text that a framework keeps beside a state. */
function readBesideText(db, ref) {
	if (!isCounted(db)) return void 0;
	return prepared(db, `SELECT beside FROM ${TABLE} ${OF_ROW$1}`).get(...keyOf$1(ref))?.beside ?? void 0;
}
/** A checkpoint with all that is kept with it, of one moment. */
function readSaved(db, ref) {
	return readTogether(db, () => {
		const state = stateIn(db, ref);
		const row = readRow(db, ref);
		if (!state || !row) return void 0;
		const createdAt = row["created_at"];
		return compact({
			...state,
			ref: toPlanRow$1(stored(row)).ref,
			parent: parentIn(row),
			createdAt: typeof createdAt === "string" ? createdAt : void 0,
			beside: readBesideText(db, ref),
			writes: readWrites(db, ref)
		});
	});
}
/** What people see of that. */
function readBeside(db, ref) {
	return readTogether(db, () => {
		const row = readRow(db, ref);
		if (!row || row["framed"] !== 1) return row && besideOf(readWrites(db, ref), {
			beside: void 0,
			isNewest: false
		});
		const { isNewest = false } = new Newest(db, ref.task).placed(row, void 0, 0);
		return besideOf(readWrites(db, ref), {
			beside: readBesideText(db, ref),
			isNewest
		});
	});
}
function errorBeside(db, row) {
	if (row["failed"] !== 1) return void 0;
	const { ref } = toPlanRow$1(stored(row));
	return besideOf(readWrites(db, ref), {
		beside: void 0,
		isNewest: true
	})?.error;
}
/** What the revision of a state begins with that was saved as a value: the rest is the hash of its root. */
const OF_NODES = "nodes-";
/** The revision of a text is its sha256. */
const stateOf = (revision, text) => revision.startsWith("nodes-") ? {
	text,
	revision
} : {
	text,
	revision,
	sha256: revision
};
const rowAt = (db, seq) => rowsWhere(db, "meta", "WHERE seq = ?", seq)[0];
function readRow(db, ref) {
	return rowsWhere(db, "meta", OF_ROW$1, ...keyOf$1(ref))[0];
}
/** Rows of its task that name it as their parent, oldest first. Not by the order of the task, which has all rows. */
function readChildren(db, { task, namespace = "", id }) {
	return rowsWhere(db, "meta", `WHERE parent_id = :id AND parent_task = :task AND +task = :task
    AND COALESCE(parent_namespace, '') = :namespace ORDER BY +seq`, {
		task,
		namespace,
		id
	});
}
/** Rows for the rules of a plan, oldest first. */
function readRows(db, task) {
	return rowsWhere(db, "meta", "WHERE task = ? ORDER BY seq", task);
}
/** All but the newest so many, oldest first. */
function readBeyond(db, task, newest) {
	return rowsWhere(db, "meta", `WHERE task = :task AND seq <= (${`SELECT seq FROM ${TABLE} WHERE task = :task ORDER BY seq DESC LIMIT 1 OFFSET :newest`}) ORDER BY seq`, {
		task,
		newest
	});
}
/** The latest, of all or of those saved before a `seq`, and the one saved last of all namespaces. */
function readHead(db, task, which) {
	const seq = which === "newest" ? newestOf(db, task) : latestOf(db, task, which === "latest" ? void 0 : which.before);
	return seq === void 0 ? void 0 : rowAt(db, seq);
}
function readLatest(db, task) {
	const row = readHead(db, task, "latest");
	return row ? {
		ref: toPlanRow$1(stored(row)).ref,
		basis: "rule"
	} : { basis: "none" };
}
function findRefs(db, id) {
	return rowsWhere(db, "lineage", "WHERE id = ? ORDER BY seq DESC", id).map((row) => toPlanRow$1(stored(row)).ref);
}
// ../stores/src/options.ts
/** Checks that both stores make of what they are opened with. */
/** Ids and times that change at every save. */
const VOLATILE_PATHS = [
	"$.id",
	"$.createdAt",
	"$.updatedAt",
	"$.updated_at",
	"$.timestamp"
];
/** @throws InspectorError invalid_input for a misspelt option, or a limit that isn't one */
function checkOptions(options, known) {
	const unknown = Object.keys(options).find((key) => !known.has(key));
	if (unknown !== void 0) throw new InspectorError("invalid_input", `Unknown option "${unknown}"; known are ${[...known].join(", ")}.`, { data: { option: unknown } });
	const { maxPerTask, keepAll } = options;
	if (maxPerTask !== void 0 && keepAll) throw new InspectorError("invalid_input", "Use maxPerTask or keepAll, not both.");
	if (maxPerTask !== void 0 && !(Number.isInteger(maxPerTask) && maxPerTask >= 1)) throw new InspectorError("invalid_input", `maxPerTask must be a positive whole number, not ${maxPerTask}.`);
}
// ../stores/src/sqlite/convert.ts
/** Brings a file of format 1, a text in every row, to shared nodes. */
const OLD = "checkpoints_of_format_1";
const COPY = ".before-format-2.";
/** Where the copy is that a crash has left after the conversion was done. */
const COPY_KEY = "copy_of_format_1";
const TRIES = 5;
/**
* Before a save. A copy of the file is kept beside it until the conversion is done: one transaction, in which every
* text is compared with what was stored.
* @throws InspectorError busy | disk_full | internal: nothing was changed
*/
function bringToNodes(db, onStep = () => void 0) {
	if (metaNumber(db, "format") >= 2) return removeLeftCopy(db);
	for (let tries = 1; !converted(db, onStep); tries++) {
		if (tries < TRIES) continue;
		throw new InspectorError("busy", `${db.path} is being saved to by an older version of this program.`, { remedy: "End the older program, then save again." });
	}
	removeLeftCopy(db);
}
/** False where another program has saved between the copy and the conversion. */
function converted(db, onStep) {
	const version = Number(db.pragma("data_version"));
	const copy = db.prepare(`SELECT 1 FROM checkpoints LIMIT 1`).get() === void 0 ? void 0 : copyBeside(db);
	let isDone = false;
	try {
		onStep("copied");
		isDone = db.transaction(() => {
			if (Number(db.pragma("data_version")) !== version) return metaNumber(db, "format") >= 2;
			convert(db, onStep);
			if (copy !== void 0) setMeta(db, COPY_KEY, basename(copy));
			onStep("verified");
			return true;
		});
	} finally {
		const isNamed = isDone && copy !== void 0 && metaText(db, COPY_KEY) === basename(copy);
		if (copy !== void 0 && !isNamed) rmSync(copy, { force: true });
	}
	if (isDone) onStep("committed");
	return isDone;
}
function copyBeside(db) {
	removeDeadCopies(db.path);
	const copy = `${db.path}${COPY}${process.pid}`;
	closeSync(openSync(copy, "w", statSync(db.path).mode & 511));
	try {
		db.prepare("VACUUM INTO ?").run(copy);
		return copy;
	} catch (error) {
		rmSync(copy, { force: true });
		throw error;
	}
}
/** Copies of processes that ended before their conversion: the store itself is whole. */
function removeDeadCopies(path) {
	const start = basename(path) + COPY;
	for (const name of readdirSync(dirname(path))) {
		const owner = Number(name.slice(start.length));
		if (name.startsWith(start) && Number.isInteger(owner) && !isAlive(owner)) rmSync(join(dirname(path), name), { force: true });
	}
}
function isAlive(process_) {
	if (process_ === process.pid) return false;
	try {
		return process.kill(process_, 0);
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
function removeLeftCopy(db) {
	const name = metaText(db, COPY_KEY);
	if (name === void 0 || !name.startsWith(basename(db.path) + COPY) || name !== basename(name)) return;
	rmSync(join(dirname(db.path), name), { force: true });
	db.prepare("DELETE FROM store_meta WHERE k = ?").run(COPY_KEY);
}
function convert(db, onStep) {
	db.exec(`DROP INDEX checkpoints_by_task; DROP INDEX checkpoints_by_id; ALTER TABLE ${TABLE} RENAME TO ${OLD};`);
	db.exec(NODES_SCHEMA);
	const rows = db.prepare(`SELECT seq FROM ${OLD} ORDER BY task, seq`).all();
	onStep("converting");
	let before;
	for (const { seq } of rows) before = convertRow(db, seq, before);
	db.exec(`DELETE FROM sqlite_sequence WHERE name = '${TABLE}';
    INSERT INTO sqlite_sequence SELECT '${TABLE}', seq FROM sqlite_sequence WHERE name = '${OLD}';
    DROP TABLE ${OLD};`);
	setMeta(db, "format", String(2));
	setMeta(db, "gc_epoch", "0");
	setMeta(db, "removed", "0");
}
const READ = `SELECT task, text, state_hash, size_bytes FROM ${OLD} WHERE seq = ?`;
const INSERT = `INSERT INTO ${TABLE} (${FIRST_COLUMNS}, root, whole)
  SELECT ${FIRST_COLUMNS}, :root, :whole FROM ${OLD} WHERE seq = :seq`;
function convertRow(db, seq, before) {
	const [row] = prepared(db, READ).all(seq);
	if (!row) throw new InspectorError("internal", `Row ${seq} is missing.`);
	const { task, size_bytes } = row;
	const text = exactText(db, seq, row);
	const { state, root, whole } = shareText(db, text ?? "null", before?.task === task ? before.state : void 0);
	const stored = {
		root,
		whole: text !== void 0 && Buffer.byteLength(text) === size_bytes ? whole : copiedText(db, seq),
		size_bytes
	};
	if (text !== void 0 && readText$1(db, stored) !== text) throw new InspectorError("internal", `The text of row ${seq} would not be read as it was saved.`);
	prepared(db, INSERT).run({
		root: stored.root,
		whole: stored.whole,
		seq
	});
	return {
		task,
		state
	};
}
/** The text, where reading it loses no byte. */
function exactText(db, seq, { text, state_hash }) {
	if (typeof text !== "string") return void 0;
	if (sha256Text(text) === state_hash) return text;
	return prepared(db, `SELECT 1 FROM ${OLD} WHERE seq = ? AND CAST(text AS BLOB) = ?`).get(seq, Buffer.from(text)) === void 0 ? void 0 : text;
}
/** Every byte as it is, whatever it is. */
const copiedText = (db, seq) => Number(prepared(db, `INSERT INTO texts (text) SELECT text FROM ${OLD} WHERE seq = ?`).run(seq).lastInsertRowid);
// ../stores/src/sqlite/diff.ts
/** Differences between two stored states, worked out from the nodes that they don't share. */
const ROOT$1 = `SELECT state_hash, root, whole FROM ${TABLE} WHERE task = ? AND namespace = ? AND id = ?`;
/** @returns undefined where the texts are to be compared: rows show a text as it is laid out, and nodes don't know how */
function readDiff(db, a, b, options = {}) {
	if (!hasNodes(db)) return void 0;
	return readTogether(db, () => {
		const [before, after] = [a, b].map(({ task, namespace = "", id }) => prepared(db, ROOT$1).get(task, namespace, id));
		if (!before || !after || before.whole !== null || after.whole !== null) return void 0;
		const diff = answerNodes(diffNodes(before.root, after.root, options), (ids) => readBodies(db, ids));
		return diff && {
			...diff,
			revisions: [before.state_hash, after.state_hash]
		};
	});
}
// ../stores/src/sqlite/part.ts
/** Parts of a stored state, read without the others. */
/** @returns undefined where the whole text is to be read */
function readPart(db, ref, path, range) {
	const steps = parsePath(path);
	if (!hasNodes(db)) return void 0;
	return readTogether(db, () => {
		const row = prepared(db, ROOT$1).get(ref.task, ref.namespace ?? "", ref.id);
		if (!row || row.whole !== null) return void 0;
		const part = answerNodes(partOfNodes(row.root, steps, range), (ids) => readBodies(db, ids));
		return part && {
			...part,
			revision: row.state_hash
		};
	});
}
// ../stores/src/known-states.ts
/** Of the texts of the states; in memory a state takes a little more, but most have most in common. */
const MAX_BYTES = 67108864;
/** States in memory by their root, for the next save to be compared with. The one used last always stays. */
var KnownStates = class {
	#states = /* @__PURE__ */ new Map();
	#maxBytes;
	#bytes = 0;
	constructor(maxBytes = MAX_BYTES) {
		this.#maxBytes = maxBytes;
	}
	get(root) {
		const state = this.#states.get(root);
		if (state) this.set(root, state);
		return state;
	}
	set(root, state) {
		this.#drop(root);
		this.#states.set(root, state);
		this.#bytes += state.bytes;
		for (const oldest of this.#states.keys()) {
			if (this.#bytes <= this.#maxBytes || this.#states.size === 1) return;
			this.#drop(oldest);
		}
	}
	clear() {
		this.#states.clear();
		this.#bytes = 0;
	}
	#drop(root) {
		const state = this.#states.get(root);
		if (!state) return;
		this.#states.delete(root);
		this.#bytes -= state.bytes;
	}
};
// ../stores/src/sqlite/save.ts
const COLUMNS = [
	...META_COLUMNS.split(", ").filter((column) => column !== "seq"),
	"beside",
	"root",
	"whole"
];
/** A recorded parent stays recorded when a later save of the id names none. */
const KEPT = /* @__PURE__ */ new Set([
	"parent_task",
	"parent_id",
	"parent_namespace"
]);
const UPDATES = COLUMNS.map((column) => `${column} = ${KEPT.has(column) ? `COALESCE(excluded.${column}, ${column})` : `excluded.${column}`}`);
const UPSERT = `INSERT INTO ${TABLE} (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map((column) => `:${column}`).join(", ")})
  ON CONFLICT (task, namespace, id) DO UPDATE SET ${UPDATES.join(", ")}`;
/** Neither the latest nor, beside it, the row that was just saved. */
const OLDEST = `DELETE FROM ${TABLE} WHERE task = :task AND seq <> :head AND seq <=
  (SELECT seq FROM ${TABLE} WHERE task = :task AND seq <> :head ORDER BY seq DESC LIMIT 1 OFFSET :keep)
  RETURNING namespace, id`;
const OF_ROW = "task = ? AND namespace = ? AND id = ?";
const ROOT = `SELECT root, whole FROM ${TABLE} WHERE ${OF_ROW}`;
const LATEST = `SELECT root, whole FROM ${TABLE} WHERE task = ? ORDER BY seq DESC LIMIT 1`;
const NO_WRITES = `DELETE FROM writes WHERE ${OF_ROW}`;
const WRITE_COLUMNS = [
	"task",
	"namespace",
	"id",
	"run",
	"idx",
	"path",
	"node",
	"channel",
	"text"
];
const insertWrite = (or) => `INSERT OR ${or} INTO writes (${WRITE_COLUMNS.join(", ")}) VALUES (${WRITE_COLUMNS.map((name) => `:${name}`).join(", ")})`;
const keyOf = ({ task, namespace = "", id }) => [
	task,
	namespace,
	id
];
/** What saves to one database; it knows the states that it has saved. */
var Saving = class {
	#db;
	#known = new KnownStates();
	/** Nodes that this connection knows may have gone when another one has collected. */
	#epoch = -1;
	constructor(db) {
		this.#db = db;
	}
	/**
	* One transaction: the state's new nodes, the row, and what it evicts.
	* @throws InspectorError invalid_input | changed | too_large
	*/
	save(checkpoint, options, limits) {
		const { fields, write } = this.#prepared(checkpoint, options);
		const ref = refIn(checkpoint.task, checkpoint);
		const saved = this.#db.transaction(() => {
			this.#forgetCollected();
			const present = prepared(this.#db, ROOT).get(...keyOf(ref));
			if (present && options.ifExists === "refuse") throw alreadyStored(ref);
			const { state, root, whole, revision, bytes } = write(this.#before(checkpoint, present));
			const row = {
				...fields,
				state_hash: revision,
				size_bytes: bytes,
				root,
				whole
			};
			assertRowFits(row, limits.maxBytes, bytes);
			prepared(this.#db, UPSERT).run(row);
			const replaced = present && (present.root !== root || present.whole !== whole) ? 1 : 0;
			collectAfterSave(this.#db, replaced + this.#evict(ref, limits.maxPerTask));
			return {
				state,
				root,
				epoch: metaNumber(this.#db, "gc_epoch")
			};
		});
		if (saved.epoch !== this.#epoch) this.#known.clear();
		this.#epoch = saved.epoch;
		this.#known.set(saved.root, saved.state);
		return ref;
	}
	/** True where it was there. */
	remove(ref) {
		return this.#db.transaction(() => {
			const gone = prepared(this.#db, `DELETE FROM ${TABLE} WHERE ${OF_ROW}`).run(...keyOf(ref)).changes;
			if (gone > 0) prepared(this.#db, NO_WRITES).run(...keyOf(ref));
			collectAfterRemoval(this.#db, gone);
			return gone > 0;
		});
	}
	/** How many checkpoints there were. */
	removeTask(task) {
		return this.#db.transaction(() => {
			const gone = prepared(this.#db, `DELETE FROM ${TABLE} WHERE task = ?`).run(task).changes;
			prepared(this.#db, "DELETE FROM writes WHERE task = ?").run(task);
			collectAfterRemoval(this.#db, gone);
			return gone;
		});
	}
	saveWrites(rows, { ifExists }) {
		const insert = prepared(this.#db, insertWrite(ifExists === "keep" ? "IGNORE" : "REPLACE"));
		this.#db.transaction(() => {
			for (const row of rows) insert.run(row);
		});
	}
	#prepared(checkpoint, { immutable }) {
		const fields = toFields(checkpoint, () => /* @__PURE__ */ new Date());
		if (!("value" in checkpoint)) return preparedText(this.#db, fields, checkpoint.text);
		const { value } = checkpoint;
		return {
			fields,
			write: (before) => {
				const { state, fresh } = share(value, {
					hash: sha256Text,
					before,
					immutable
				});
				writeNodes(this.#db, fresh);
				const revision = OF_NODES + state.node.hash;
				return {
					state,
					root: state.node.id,
					whole: null,
					revision,
					bytes: state.bytes
				};
			}
		};
	}
	#forgetCollected() {
		const epoch = metaNumber(this.#db, "gc_epoch");
		if (epoch !== this.#epoch) this.#known.clear();
		this.#epoch = epoch;
	}
	/** What the state is likely to have most in common with. */
	#before({ task, parent }, present) {
		const stored = (parent && prepared(this.#db, ROOT).get(...keyOf(parent))) ?? present ?? prepared(this.#db, LATEST).get(task);
		return stored && this.#stateAt(stored.root);
	}
	#stateAt(root) {
		try {
			return this.#known.get(root) ?? readShared(this.#db, root);
		} catch (error) {
			if (InspectorError.is(error) && error.code === "unreadable") return void 0;
			throw error;
		}
	}
	/** First saved, first out. */
	#evict({ task, namespace }, keep) {
		if (keep === void 0) return 0;
		const head = latestOf(this.#db, task);
		const others = Math.max(keep - (head === void 0 ? 0 : 1), namespace ? 1 : 0);
		const oldest = {
			task,
			head: head ?? 0,
			keep: others
		};
		const gone = prepared(this.#db, OLDEST).all(oldest);
		for (const { namespace: of, id } of gone) prepared(this.#db, NO_WRITES).run(task, of, id);
		return gone.length;
	}
};
function preparedText(db, fields, text) {
	const values = valuesIn(text);
	const bytes = Buffer.byteLength(text);
	const revision = sha256Text(text);
	return {
		fields,
		write: (before) => ({
			...shareValues(db, {
				text,
				bytes,
				values,
				isJson: true
			}, before),
			revision,
			bytes
		})
	};
}
function valuesIn(text) {
	try {
		return valuesOf(text);
	} catch (cause) {
		throw notJson(cause);
	}
}
const alreadyStored = (ref) => new InspectorError("changed", `Checkpoint "${ref.id}" of task "${ref.task}" is already stored.`, { data: { ...ref } });
// ../stores/src/sqlite/store.ts
const KNOWN = /* @__PURE__ */ new Set([
	"path",
	"id",
	"label",
	"location",
	"readOnly",
	"keepAll",
	"maxPerTask"
]);
/**
* Opens our SQLite store; makes the file unless `readOnly`.
* @throws InspectorError no_store | invalid_input | unsupported_version | unreadable | busy
* @example const store = await openSqliteStore({ path: 'agent.db', maxPerTask: 10 });
*/
function openSqliteStore(options) {
	return Promise.resolve().then(() => new SqliteStore(options));
}
/**
* Checkpoints in one SQLite file: WAL, synchronous FULL, one transaction per save.
* @example const store = new SqliteStore({ path: 'agent.db', readOnly: true })
*/
var SqliteStore = class {
	#connection;
	#path;
	#readOnly;
	#givenLimit;
	#maxRowBytes;
	#name;
	#saving;
	#closed = false;
	/** `maxRowBytes` is given in tests only, `create: false` where the file must be there. */
	constructor(options, { maxRowBytes, create } = {}) {
		checkOptions(options, KNOWN);
		this.#maxRowBytes = maxRowBytes;
		this.#path = options.path;
		this.#readOnly = options.readOnly ?? false;
		this.#givenLimit = options.maxPerTask;
		this.#connection = this.#readOnly ? connectForReading(options.path) : connectForSaving(options.path, options.keepAll ? "all" : options.maxPerTask, create);
		const label = options.label ?? basename(options.path);
		this.#name = {
			id: options.id ?? storeIdFrom(label),
			label,
			...options.location === void 0 ? {} : { location: options.location }
		};
	}
	get info() {
		return {
			...this.#name,
			identity: realPath(this.#path),
			system: "native",
			latestRule: "most recently saved",
			retention: this.#maxPerTask === void 0 ? "Keeps everything." : `Keeps the newest ${this.#maxPerTask} per task.`,
			volatilePaths: VOLATILE_PATHS,
			indexed: {
				n: 1,
				of: 1
			},
			capabilities: {
				restore: true,
				fork: true,
				edit: true,
				delete: true
			},
			...this.#connection.snapshot === void 0 ? {} : { snapshot: this.#connection.snapshot },
			...this.#maxPerTask === void 0 ? {} : { notes: [`Keeps ${this.#maxPerTask} checkpoints per task, evicting the oldest first.`] }
		};
	}
	/** How many checkpoints it keeps of each task; absent: all. */
	get maxPerTask() {
		return this.#maxPerTask;
	}
	async tasks(query = {}) {
		query.signal?.throwIfAborted();
		return readTasks(this.#open(), this.info.id, query);
	}
	async checkpoints(task, query = {}) {
		query.signal?.throwIfAborted();
		return readCheckpoints(this.#open(), this.info.id, task, query);
	}
	async *lineage(task, options) {
		options?.signal?.throwIfAborted();
		for (const row of readLineage(this.#open(), task)) {
			options?.signal?.throwIfAborted();
			yield row;
		}
	}
	async meta(ref, options) {
		options?.signal?.throwIfAborted();
		return readMeta(this.#open(), this.info.id, ref);
	}
	async state(ref, options) {
		options?.signal?.throwIfAborted();
		return readState(this.#open(), ref);
	}
	async diff(a, b, options) {
		options?.signal?.throwIfAborted();
		return readDiff(this.#open(), a, b, options);
	}
	async part(ref, path, range, options) {
		options?.signal?.throwIfAborted();
		return readPart(this.#open(), ref, path, range);
	}
	async raw(ref, options) {
		options?.signal?.throwIfAborted();
		const state = readState(this.#open(), ref);
		return state && new TextEncoder().encode(state.text);
	}
	async latest(task, options) {
		options?.signal?.throwIfAborted();
		return readLatest(this.#open(), task);
	}
	async find(id, options) {
		options?.signal?.throwIfAborted();
		return findRefs(this.#open(), id);
	}
	async plan(request, options) {
		options?.signal?.throwIfAborted();
		const db = this.#open();
		return planRows({
			store: this.info.id,
			job: (steps) => addNative(sqliteJob(this.#path), steps, !hasNodes(db)),
			maxPerTask: this.#maxPerTask,
			now: () => /* @__PURE__ */ new Date(),
			rows: (task) => readRows(db, task).map(toPlanRow),
			head: (task, before) => planRowOf(readHead(db, task, before === void 0 ? "latest" : { before })),
			newest: (task) => planRowOf(readHead(db, task, "newest")),
			beyond: (task, newest) => readBeyond(db, task, newest).map(toPlanRow),
			beside: (ref) => readBesideText(db, ref),
			writes: (ref) => countWrites(db, ref),
			loose: (task) => hasWrites(db, task),
			row: (ref) => planRowOf(readRow(db, ref)),
			children: (ref) => readChildren(db, ref).map(toPlanRow),
			text: (ref) => readState(db, ref)?.text ?? "",
			taken: (id) => findRefs(db, id).length > 0
		}, request);
	}
	async save(checkpoint, options = {}) {
		const db = this.#writable();
		const limits = {
			maxPerTask: this.#maxPerTask,
			maxBytes: this.#maxRowBytes
		};
		const ref = this.#savingTo(db).save(checkpoint, options, limits);
		const saved = readMeta(db, this.#name.id, ref);
		if (!saved) throw new InspectorError("changed", `Checkpoint "${ref.id}" was evicted at once by another save.`, { data: { ...ref } });
		return saved;
	}
	async remove(ref) {
		const db = this.#writable();
		return this.#savingTo(db).remove(ref);
	}
	async removeTask(task) {
		return this.#savingTo(this.#writable()).removeTask(task);
	}
	async saveWrites(ref, writes, options = {}) {
		const rows = toWriteRows(ref, writes);
		this.#savingTo(this.#writable()).saveWrites(rows, options);
	}
	async load(ref, options) {
		options?.signal?.throwIfAborted();
		return readSaved(this.#open(), ref);
	}
	async beside(ref, options) {
		options?.signal?.throwIfAborted();
		return readBeside(this.#open(), ref);
	}
	async damage(options) {
		const db = this.#open();
		if (!hasNodes(db)) return [];
		const bad = [];
		for (const found of damagedNodes(db)) {
			bad.push(...found);
			await setImmediate$1();
			options?.signal?.throwIfAborted();
		}
		return statesWith(db, bad, OF_NODES).map(({ node, ...row }) => ({
			ref: refIn(row.task, row),
			message: `Part ${node} of its state is damaged or missing.`
		}));
	}
	watch(onEvent) {
		return watchSqlite(this.#path, () => onEvent({}));
	}
	async close() {
		if (this.#closed) return;
		this.#closed = true;
		this.#connection.close();
	}
	/** The first save brings an older file to the format of today. */
	#savingTo(db) {
		if (this.#saving) return this.#saving;
		bringToNodes(db);
		this.#saving = new Saving(db);
		return this.#saving;
	}
	get #maxPerTask() {
		return this.#givenLimit ?? this.#connection.maxPerTask;
	}
	#open() {
		if (!this.#closed) return this.#connection.current();
		throw new InspectorError("invalid_input", "This store is closed.", { remedy: "Open it again." });
	}
	#writable() {
		if (!this.#readOnly) return this.#open();
		throw new InspectorError("read_only", `${this.#name.label} is open read-only.`);
	}
};
const toPlanRow = (row) => toPlanRow$1(stored(row));
const planRowOf = (row) => row && toPlanRow(row);
// zz-bench.ts
const store = await openSqliteStore({
	path: "/tmp/big-million/one task-1000000.db",
	readOnly: true
});
const cpu = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e3;
};
const ts = [];
const ws = [];
for (let r = 0; r < 60; r++) {
	const a = cpu();
	const w = performance.now();
	for (let j = 0; j < 50; j++) await store.checkpoints("t-0", { limit: 100 });
	ts.push((cpu() - a) / 50);
	ws.push((performance.now() - w) / 50);
}
ts.sort((a, b) => a - b);
ws.sort((a, b) => a - b);
console.log("page cpu", ts[30].toFixed(3), "wall", ws[30].toFixed(3), "min", ts[0].toFixed(3), ws[0].toFixed(3));
export {};
