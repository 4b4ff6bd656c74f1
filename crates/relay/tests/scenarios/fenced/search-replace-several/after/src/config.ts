export const port = 8080;
export const host = '0.0.0.0';
