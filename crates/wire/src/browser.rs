//! The way in for a page that has this crate as WebAssembly: `answer` is called with a request and calls `emit` of the page
//! with each event. There are no threads, so the page ends long work by ending its worker.
#![allow(unsafe_code, unreachable_pub)] // memory is shared with the page, which only this file knows; it calls these

use std::cell::RefCell;
use std::time::Duration;

use fairly::session::{Bounds, Cancel, Session, Watch};

use crate::talk::{self, Request};

/// How many bytes an engine may allocate.
const MEMORY: u64 = 1 << 30;

/// Progress is told this often, in milliseconds.
const OFTEN: f64 = 100.0;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Takes an event: so many bytes of UTF-8 at this place.
    fn emit(at: *const u8, length: usize);
    /// Milliseconds since some moment.
    fn now() -> f64;
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static TOLD: RefCell<f64> = const { RefCell::new(0.0) };
}

/// Room for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Answers the request that the page has written into the room at this place.
///
/// # Safety
///
/// It must be a place that [`room`] has returned for this length, and be used once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(at: *mut u8, length: usize) {
    // SAFETY: the caller promises that this is a box that `room` has made.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)) };
    let text = String::from_utf8_lossy(&bytes);
    let request = match Request::read(&text) {
        Ok(request) => request,
        Err(message) => return tell(&talk::failed(&message)),
    };
    let cancel = Cancel::default();
    let progress = |property: &driver::Name, progress: &driver::Progress| {
        let time = milliseconds();
        if TOLD.with(|told| time - *told.borrow() >= OFTEN) {
            TOLD.set(time);
            tell(&talk::progress(property, progress));
        }
    };
    let watch = Watch {
        progress: &progress,
        clock: &|| Duration::from_secs_f64(milliseconds() / 1000.0),
        bounds: Bounds { time: None, memory: MEMORY, threads: 1 },
        ..Watch::new(&cancel)
    };
    let files = |file: &str| Err(format!("{file} cannot be read in the playground"));
    SESSION.with_borrow_mut(|session| {
        talk::answer(&request, session, &files, &watch, &mut |event| tell(&event));
    });
}

fn milliseconds() -> f64 {
    // SAFETY: the page only returns a number.
    unsafe { now() }
}

fn tell(event: &str) {
    // SAFETY: the page reads the bytes before it returns.
    unsafe { emit(event.as_ptr(), event.len()) }
}
