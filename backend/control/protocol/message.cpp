// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/message.h"

#include <array>

#include "backend/control/protocol/all_messages.h"

namespace divisi::control::inline protocol {
namespace {

struct Kind {
    const char* name;
    Right right;
};

/// One row per message, in the order of the list.
constexpr std::array<Kind, AnyMessage::size> kinds = {{
    {"refused", Right::watch},
    {"done", Right::watch},
    {"hello", Right::watch},
    {"welcome", Right::watch},
    {"subscribe", Right::watch},
    {"snapshot", Right::watch},
    {"event_push", Right::watch},
    {"load_push", Right::watch},
    {"submit_task", Right::submit},
    {"submit_reply", Right::submit},
    {"uploads_done", Right::submit},
    {"stop_task", Right::submit},
    {"query_log", Right::watch},
    {"log_page", Right::watch},
    {"change_key", Right::administer},
    {"shutdown", Right::administer},
    {"register_node", Right::serve},
    {"node_report", Right::serve},
    {"start_instance", Right::serve},
    {"stop_instance", Right::serve},
    {"instance_exited", Right::serve},
    {"register_instance", Right::serve},
    {"deploy", Right::serve},
    {"peers", Right::serve},
    {"instance_prepared", Right::serve},
    {"begin", Right::serve},
    {"step_report", Right::serve},
    {"eval_report", Right::serve},
    {"load_report", Right::serve},
    {"instance_finished", Right::serve},
    {"instance_failed", Right::serve},
    {"note", Right::serve},
    {"end_instance", Right::serve},
    {"heartbeat", Right::watch},
    {"fetch_skeleton", Right::watch},
    {"skeleton_data", Right::watch},
    {"goodbye", Right::watch},
    {"access_keys", Right::serve},
    {"segment_model", Right::watch},
    {"model_segmented", Right::watch},
    {"measure_links", Right::submit},
    {"serve_probe", Right::serve},
    {"probe_served", Right::serve},
    {"run_probe", Right::serve},
    {"probe_ended", Right::serve},
    {"end_probe", Right::serve},
    {"resume_instance", Right::serve},
    {"missed_reports", Right::serve},
    {"fetch_snapshot_page", Right::watch},
    {"release_task", Right::submit},
    {"which_blobs", Right::serve},
    {"needed_blobs", Right::serve},
    {"register_device", Right::serve},
    {"device_registered", Right::serve},
    {"mesh_table", Right::serve},
    {"device_report", Right::serve},
    {"query_mesh", Right::watch},
    {"mesh_state", Right::watch},
    {"query_signals", Right::watch},
    {"signals", Right::watch},
    {"register_service", Right::serve},
    {"renew_service", Right::serve},
    {"service_registered", Right::serve},
    {"watch_services", Right::watch},
    {"service_changes", Right::watch},
    {"fault_link", Right::submit},
    {"kill_router", Right::submit},
    {"heal_faults", Right::submit},
    {"device_faults", Right::serve},
    {"kill_device", Right::serve},
    {"reserve", Right::submit},
    {"reserved", Right::watch},
    {"cancel_reservation", Right::submit},
    {"query_nodes", Right::watch},
    {"nodes_state", Right::watch},
    {"probe_neighbour", Right::serve},
    {"admission_policy", Right::serve},
    {"query_requests", Right::watch},
    {"requests", Right::watch},
    {"device_policy", Right::serve},
    {"policy_answer", Right::serve},
    {"set_policies", Right::submit},
    {"roll_back_policies", Right::submit},
    {"policy_number", Right::watch},
    {"query_policies", Right::watch},
    {"policies_state", Right::watch},
    {"abnormal_state", Right::serve},
    {"mesh_change", Right::serve},
    {"describe_module", Right::advise},
    {"observe", Right::advise},
    {"advise", Right::advise},
    {"echo", Right::advise},
    {"control_module", Right::advise},
    {"query_modules", Right::watch},
    {"modules_state", Right::watch},
    {"change_module", Right::submit},
    {"mic_units", Right::serve},
    {"mic_report", Right::serve},
    {"query_mics", Right::watch},
    {"mics_state", Right::watch},
    {"try_policies", Right::submit},
    {"policy_trial", Right::watch},
    {"scale_data", Right::submit},
    {"bring_blob", Right::submit},
    {"blob_brought", Right::watch},
    {"open_blob_end", Right::serve},
    {"blob_end_opened", Right::serve},
    {"join_blob_ends", Right::serve},
    {"fetch_blob", Right::serve},
    {"blob_fetched", Right::serve},
    {"close_blob_end", Right::serve},
    {"instance_activated", Right::serve},
    {"take_snapshot", Right::serve},
    {"snapshot_taken", Right::serve},
    {"drop_blobs", Right::serve},
    {"order_checkpoint", Right::submit},
    {"checkpoint_ordered", Right::watch},
    {"retry_exception", Right::submit},
    {"drop_exception", Right::submit},
    {"recut", Right::submit},
    {"recut_done", Right::watch},
    {"drain_node", Right::submit},
    {"drop_version", Right::submit},
    {"back_up", Right::administer},
    {"backed_up", Right::watch},
    {"log_lines", Right::serve},
    {"query_lines", Right::watch},
    {"lines_page", Right::watch},
    {"kill_instance", Right::submit},
    {"kill_node", Right::submit},
    {"pause_instance", Right::submit},
    {"fault_instance", Right::serve},
    {"list_stores", Right::watch},
    {"store_list", Right::serve},
    {"read_store", Right::watch},
    {"store_page", Right::serve},
    {"ask_recut_advice", Right::watch},
    {"recut_advised", Right::watch},
    {"watch_spans", Right::watch},
    {"report_spans", Right::serve},
    {"span_report", Right::serve},
    {"span_push", Right::watch},
    {"keep_checkpoint", Right::submit},
    {"version_made", Right::watch},
    {"hold_steps", Right::serve},
    {"prepare_plan", Right::serve},
    {"plan_prepared", Right::serve},
}};

}  // namespace

std::optional<std::size_t> answer_index(const Message& question) {
    return visit(
        []<typename T>(const T&) -> std::optional<std::size_t> {
            if constexpr (Question<T>) return Message(typename T::Answer()).index();
            else return std::nullopt;
        },
        question);
}

const char* kind_name(const Message& message) { return kinds[message.index()].name; }
Right needed_right(const Message& message) { return kinds[message.index()].right; }

Error combined(const Refused& refused) {
    Error error = refused.error;
    for (const Error& other : refused.others) error.next += (error.next.empty() ? "" : "; also ") + other.message();
    return error;
}

}  // namespace divisi::control::inline protocol
