// Bounds for data from a server: neither its type nor its size is trusted.

// maxText bounds a text, in UTF-16 units.
const maxText = 256;

// number returns v between least and most; other if v is not a number.
export function number(v, least, most, other) {
	return typeof v === "number" && Number.isFinite(v) ? Math.min(most, Math.max(least, v)) : other;
}

// vector returns three numbers within bounds; other if v is not a vector.
export function vector(v, least, most, other) {
	if (!Array.isArray(v) || v.length !== 3) return other;
	return v.map((x, k) => number(x, least, most, other[k]));
}

// text returns v cut to a length; "" if v is not a text.
export function text(v, most = maxText) {
	return typeof v === "string" ? v.slice(0, most) : "";
}

// Glob is a pattern in which * matches any text, without regard to case. Its time is bounded by the product of
// both lengths, unlike that of a regular expression with many stars.
export class Glob {
	constructor(pattern) {
		this.pattern = text(pattern).toLowerCase();
	}

	test(name) {
		const p = this.pattern, s = text(name).toLowerCase();
		let i = 0, k = 0, star = -1, back = 0;
		while (k < s.length) {
			if (p[i] === "*") {
				star = i++;
				back = k;
			} else if (p[i] === s[k]) {
				i++;
				k++;
			} else if (star >= 0) {
				i = star + 1;
				k = ++back;
			} else return false;
		}
		while (p[i] === "*") i++;
		return i === p.length;
	}
}
