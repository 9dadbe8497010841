import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderOf } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.standard(tags.name), tags.definition(tags.name)], color: 'var(--term-blue)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--term-green)' },
  { tag: [tags.operator, tags.meta], color: 'var(--term-yellow)' },
  { tag: tags.comment, color: 'var(--term-dim)' },
  { tag: [tags.number, tags.attributeName], color: 'var(--term-cyan)' },
]);

const look = EditorView.theme(
  {
    '&': { color: 'var(--term-fg)', backgroundColor: 'var(--term-bg)', height: '100%', fontSize: '13px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
    '.cm-content': { caretColor: 'var(--term-fg)', padding: '8px 0' },
    '.cm-gutters': { color: 'var(--term-dim)', backgroundColor: 'transparent', border: 'none' },
    '.cm-placeholder': { color: 'var(--term-dim)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
      backgroundColor: 'var(--accent-soft-2)',
    },
  },
  { dark: true },
);

export interface CommandEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Ctrl-Enter or Cmd-Enter. */
  readonly onRun: () => void;
  readonly placeholder: string;
  readonly isReadOnly?: boolean;
  readonly isInvalid?: boolean;
}

/**
 * An editor for shell commands. It lives in a `ShadowRoot`, because only there CodeMirror adopts constructed style sheets
 * and needs no style elements, which the content policy refuses. Tab leaves it after Escape, as CodeMirror documents.
 */
export function CommandEditor({
  label,
  value,
  onChange,
  onRun,
  placeholder,
  isReadOnly = false,
  isInvalid = false,
}: CommandEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const variable = useRef(new Compartment());
  const changed = useEffectEvent(onChange);
  const run = useEffectEvent(onRun);
  const first = useEffectEvent(() => value);
  const attributes = [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
    }),
    placeholderOf(placeholder),
  ];
  const configured = useEffectEvent(() => variable.current.of(attributes));
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first(),
        extensions: [
          configured(),
          lineNumbers(),
          history(),
          keymap.of([
            { key: 'Mod-Enter', run: () => (run(), true) },
            indentWithTab,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          StreamLanguage.define(shell),
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          look,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, []);
  useEffect(() => {
    const view = editor.current;
    if (view && view.state.doc.toString() !== value)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    editor.current?.dispatch({ effects: variable.current.reconfigure(attributes) });
    // The list is new each time; what it holds are these.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [label, placeholder, isReadOnly, isInvalid]);
  return <div ref={host} className="h-full min-h-0" data-command-editor />;
}
