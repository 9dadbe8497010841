import { beforeEach, describe, expect, it } from 'vitest';
import { InputSender } from './input-sender';

const INTERRUPT = '\u0003';

describe('input sender', () => {
  let sent: Uint8Array[];
  let sender: InputSender;

  beforeEach(() => {
    sent = [];
    sender = new InputSender((piece) => void sent.push(piece));
    sender.opened(10);
  });

  const text = (): string => {
    const all = new Uint8Array(sent.flatMap((piece) => [...piece]));
    sent = [];
    return new TextDecoder().decode(all);
  };

  it('sends keys at once, in the order of typing', () => {
    sender.send('l');
    expect(text()).toBe('l');
    sender.send('s');
    sender.send('\r');
    expect(text()).toBe('s\r');
  });

  it('sends keys typed during a paste after the paste', () => {
    sender.send('0123456789abcdef');
    sender.send('K');
    expect(text()).toBe('0123456789');
    sender.credit(10, 14);
    expect(text()).toBe('abcd');
    sender.credit(14, 100);
    expect(text()).toBe('efK');
  });

  it.each(['\u0003', '\u001c', '\u001a'])('drops the rest of a paste at an interrupt key (%j)', (key) => {
    sender.send('0123456789 and the rest');
    sender.send('more');
    sender.send(key);
    sender.send('ls\r');
    expect(text()).toBe('0123456789');
    sender.credit(10, 100);
    expect(text()).toBe(`${key}ls\r`);
  });

  it('treats an interrupt inside a paste as text', () => {
    sender.send(`0123456789${INTERRUPT}tail`);
    sender.credit(10, 100);
    expect(text()).toBe(`0123456789${INTERRUPT}tail`);
  });

  it('ends a bracketed paste properly when its rest is dropped, however often the key is pressed', () => {
    sender.send('\u001b[200~0123456789\u001b[201~');
    sender.send(INTERRUPT);
    sender.send(INTERRUPT);
    expect(text()).toBe('\u001b[200~0123');
    sender.credit(10, 13);
    sender.send(INTERRUPT);
    sender.credit(13, 100);
    expect(text()).toBe(`\u001b[201~${INTERRUPT}`);
  });

  it('sends the end mark of a paste once', () => {
    sender.opened(12);
    sender.send('\u001b[200~01\u001b[201~');
    sender.send(INTERRUPT);
    sender.credit(12, 100);
    expect(text()).toBe(`\u001b[200~01\u001b[201~${INTERRUPT}`);
  });

  it('completes the character at which a paste is cut', () => {
    sender.send('价格报告价格');
    sender.send(INTERRUPT);
    sender.credit(10, 100);
    expect(text()).toBe(`价格报告${INTERRUPT}`);
  });

  it('after a reconnect repeats what had not arrived, and nothing else', () => {
    sender.send('0123456789abcdef');
    sender.lost();
    text();
    sender.send('blind');
    sender.resumed(6, 12);
    expect(text()).toBe('6789ab');
    sender.credit(12, 100);
    expect(text()).toBe('cdef');
  });

  it('continues its count over several reconnects', () => {
    sender.send('0123456789abcdef');
    for (const received of [4, 5, 9]) {
      sender.lost();
      text();
      sender.resumed(received, received + 3);
      expect(text()).toBe('0123456789abcdef'.slice(received, received + 3));
    }
    sender.credit(12, 100);
    expect(text()).toBe('cdef');
  });

  it('drops pending input when the person interrupts while disconnected', () => {
    sender.send('\u001b[200~0123456789\u001b[201~');
    sender.lost();
    text();
    sender.send(INTERRUPT);
    sender.resumed(8, 100);
    expect(text()).toBe('\u001b[201~');
    sender.send('ls');
    expect(text()).toBe('ls');
  });

  it('continues from a total that it does not know', () => {
    sender.send('abc');
    sender.lost();
    text();
    sender.resumed(50, 60);
    expect(text()).toBe('');
    sender.send('0123456789abc');
    expect(text()).toBe('0123456789');
  });

  it('sends nothing after the end', () => {
    sender.send('0123456789abcdef');
    text();
    sender.close();
    sender.credit(10, 100);
    sender.send('x');
    expect(text()).toBe('');
  });
});
