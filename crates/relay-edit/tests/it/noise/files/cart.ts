import { useEffect, useState } from 'react';
import type { Cart, Item } from './types';

const STORAGE_KEY = "cart-v2";
const MAX_ITEMS = 50;

export interface CartOptions {
  persist?: boolean;
  currency: string;
}

function load(): Cart {
  const text = localStorage.getItem(STORAGE_KEY);
  if (!text) {
    return { items: [], total: 0 };
  }
  try {
    return JSON.parse(text) as Cart;
  } catch (error) {
    console.warn("cart cannot be read", error);
    return { items: [], total: 0 };
  }
}

function save(cart: Cart): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(cart));
}

export function useCart(options: CartOptions) {
  const [cart, setCart] = useState<Cart>(load);

  useEffect(() => {
    if (options.persist) {
      save(cart);
    }
  }, [cart, options.persist]);

  function add(item: Item) {
    if (cart.items.length >= MAX_ITEMS) {
      throw new Error("the cart is full");
    }
    setCart({
      items: [...cart.items, item],
      total: cart.total + item.price,
    });
  }

  function remove(id: string) {
    const item = cart.items.find((item) => item.id === id);
    if (!item) {
      return;
    }
    setCart({
      items: cart.items.filter((item) => item.id !== id),
      total: cart.total - item.price,
    });
  }

  const label = `${cart.items.length} items, ${cart.total} ${options.currency}`;

  return { cart, add, remove, label };
}

export function format(cart: Cart, currency: string): string {
  return cart.items
    .map((item) => `${item.name}: ${item.price} ${currency}`)
    .join("\n");
}
