// What the inspector's panel Scripts uses of CodeMirror: an editor of Lua in a shadow root, whose styles a strict
// Content-Security-Policy permits, with colors of the page's own variables.
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { tags } from "@lezer/highlight";

const colors = HighlightStyle.define([
	{ tag: [tags.keyword, tags.controlKeyword], color: "light-dark(#7a2ea0, #d6a6ff)" },
	{ tag: [tags.string, tags.special(tags.string)], color: "light-dark(#1d6b35, #8fd6a0)" },
	{ tag: tags.number, color: "light-dark(#8a4b00, #ffb86b)" },
	{ tag: tags.comment, color: "var(--dim)" },
	{ tag: [tags.standard(tags.name), tags.atom, tags.bool], color: "light-dark(#0b5f8a, #7cc7f0)" },
]);

const look = EditorView.theme({
	"&": { height: "100%", fontSize: "13px", color: "var(--ink)", backgroundColor: "var(--card)" },
	".cm-scroller": { fontFamily: "ui-monospace, monospace" },
	".cm-gutters": { color: "var(--dim)", backgroundColor: "var(--card)", borderRight: "1px solid var(--edge)" },
	".cm-activeLine": { backgroundColor: "var(--row)" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	"&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--main) 25%, transparent)" },
});

// edit opens an editor of a text below root, which is a shadow root. save is called for Ctrl-S.
export function edit(root, { text, writable, label, save }) {
	const view = new EditorView({
		root, parent: root,
		state: EditorState.create({
			doc: text,
			extensions: [
				lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(),
				indentUnit.of("\t"), EditorState.tabSize.of(4), StreamLanguage.define(lua), syntaxHighlighting(colors), look,
				EditorState.readOnly.of(!writable), EditorView.contentAttributes.of({ "aria-label": label }),
				keymap.of([
					{ key: "Mod-s", preventDefault: true, run: () => (save(), true) },
					...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab,
				]),
			],
		}),
	});
	return {
		text: () => view.state.doc.toString(),
		// go shows a line, counted from 1.
		go(line) {
			const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
			view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
		},
		focus: () => view.focus(),
		close: () => view.destroy(),
	};
}
