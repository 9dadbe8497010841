import { createContext, type ReactNode } from 'react';

/** Tools of the frame (search, messages) for a screen that fills the window and draws its own bar. */
export const FrameTools = createContext<ReactNode>(null);
