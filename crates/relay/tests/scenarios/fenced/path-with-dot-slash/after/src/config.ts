export const port = 2;
