export const port = 9;
