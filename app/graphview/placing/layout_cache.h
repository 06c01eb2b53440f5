// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "app/graphview/placing/layout.h"

namespace divisi::graphview {

/// An immutable layout that several views may share.
using LayoutPtr = std::shared_ptr<const Layout>;

/// Returns a cache key made from all inputs of a layout: the structure of the model, and the open scopes in the
/// picture.
QByteArray layout_key(const model::LoadedModel& model, const std::vector<bool>& open);

/// Caches recently shown layouts by their keys: up to 32, with at most a million blocks and edges in total (about 70
/// MB). The newest one is always kept.
class LayoutCache {
public:
    /// Returns the layout of a key; null if it is not cached.
    LayoutPtr find(const QByteArray& key);
    void keep(const QByteArray& key, LayoutPtr layout);
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        QByteArray key;
        LayoutPtr layout;
    };
    std::list<Entry> entries_;  ///< cached layouts, the most recently shown first
    std::size_t parts_ = 0;     ///< number of blocks and edges in all layouts
};

}  // namespace divisi::graphview
