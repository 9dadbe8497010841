/**
 * A `document` for xterm.js that works under a content policy without inline styles.
 *
 * xterm writes its theme into `<style>` elements and true colours into `style` attributes. The policy refuses both, and
 * each refusal logs an error. This document returns substitutes: a style element whose text goes into a constructed
 * style sheet, and spans whose style attribute is set through the object model. Allowing both adds no risk, because a
 * running script can do the same anyway.
 */

function styleStandIn(): HTMLElement {
  const element = Document.prototype.createElement.call(document, 'div');
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, 'textContent', {
    set(text: string) {
      sheet.replaceSync(text);
    },
    get: () => '',
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet);
    remove();
  };
  return element;
}

function spanWithStyles(): HTMLElement {
  const element = document.createElement('span');
  const setAttribute = element.setAttribute.bind(element);
  const getAttribute = element.getAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else setAttribute(name, value);
  };
  element.getAttribute = (name) => (name === 'style' ? element.style.cssText : getAttribute(name));
  return element;
}

/** The page's document, except for `createElement('style')` and `createElement('span')`. */
export function styleSafeDocument(): Document {
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement') {
        return (tag: string, options?: ElementCreationOptions) => {
          if (tag === 'style') return styleStandIn();
          if (tag === 'span') return spanWithStyles();
          return target.createElement(tag, options);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...all: unknown[]) => unknown).bind(target) : value;
    },
  });
}

/**
 * Runs `work` while `document.createElement('style')` returns substitutes. xterm's scroll bar always uses the page's
 * own document, but only while the terminal is being opened.
 */
export function withStyleStandIns(work: () => void): void {
  const createElement = document.createElement.bind(document);
  document.createElement = ((tag: string, options?: ElementCreationOptions) =>
    tag === 'style' ? styleStandIn() : createElement(tag, options)) as typeof document.createElement;
  try {
    work();
  } finally {
    // Removes the own property, which makes the prototype's method visible again.
    Reflect.deleteProperty(document, 'createElement');
  }
}
