export const port = 1;
export const host = 'localhost';
