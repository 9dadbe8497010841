/**
 * A `document` for xterm.js that works under a content policy without inline styles.
 *
 * xterm writes its theme into `<style>` elements and true colours into `style` attributes; both are refused by such a
 * policy, and each refusal is an error in the console. This document hands out stand-ins: a style element whose text
 * goes into a constructed style sheet, and spans whose style attribute goes through the object model. Both are allowed,
 * because script that runs already may do anything that they can do.
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
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
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

/** The page's document, apart from `createElement('style')` and `createElement('span')`. */
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
 * Runs `work` while `document.createElement('style')` hands out stand-ins. xterm's scroll bar takes the page's own
 * document whatever document it was given, but only while it is being opened.
 */
export function withStyleStandIns(work: () => void): void {
  const createElement = document.createElement.bind(document);
  document.createElement = ((tag: string, options?: ElementCreationOptions) =>
    tag === 'style' ? styleStandIn() : createElement(tag, options)) as typeof document.createElement;
  try {
    work();
  } finally {
    // The own property goes; the prototype's method is there again.
    Reflect.deleteProperty(document, 'createElement');
  }
}
