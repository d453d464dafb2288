// What a server sends, kept within bounds: nothing that it sends is trusted to be of a type or of a size.

// maxText bounds a text, in UTF-16 units.
const maxText = 256;

// number is v between least and most; other where v is no number.
export function number(v, least, most, other) {
	return typeof v === "number" && Number.isFinite(v) ? Math.min(most, Math.max(least, v)) : other;
}

// vector is three numbers within bounds; other where v is none.
export function vector(v, least, most, other) {
	if (!Array.isArray(v) || v.length !== 3) return other;
	return v.map((x, k) => number(x, least, most, other[k]));
}

// text is v cut to a length; "" where v is no text.
export function text(v) {
	return typeof v === "string" ? v.slice(0, maxText) : "";
}

// Glob is a pattern in which * stands for any text, without regard to case. The time it takes is bounded by the product of
// both lengths, which a regular expression with many stars would not be.
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
